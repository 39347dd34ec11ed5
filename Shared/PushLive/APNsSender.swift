public import EventLoop
public import FoundationEssentials
import HTTP2
public import Notifications

/// Sends batches of pushes to APNs over one connection per environment, which stays open between batches.
///
/// It decides nothing about deliveries: it resends what APNs asks to be resent at once, holds what APNs asks to be
/// held, and reports. One batch at a time.
public actor APNsSender {
  let configuration: APNsConfiguration
  let limits: Limits
  let loop: EventLoop
  private let now: @Sendable () -> Date
  private var token: ProviderToken
  private var lanes: [PushEnvironment: SenderLane] = [:]
  private var holds = SenderHolds()

  /// How long to wait for what.
  public struct Limits: Sendable {
    /// For a connection.
    public var connecting: Duration
    /// For the answer to one push.
    public var answer: Duration

    /// Five and ten seconds unless given.
    public init(connecting: Duration = .seconds(5), answer: Duration = .seconds(10)) {
      (self.connecting, self.answer) = (connecting, answer)
    }

    // A connection, and the answer to a push.
    var round: Duration { connecting + answer }
  }

  /// A sender without connections.
  /// - Parameter now: the clock that provider tokens are dated by.
  public init(
    _ configuration: APNsConfiguration, limits: Limits = Limits(), loop: EventLoop = EventLoop(name: "apns"),
    now: @escaping @Sendable () -> Date = { .now }
  ) {
    (self.configuration, self.limits, self.loop, self.now) = (configuration, limits, loop, now)
    token = ProviderToken(sign: configuration.token)
  }

  // The connections live on the loop: from there, asking one of them costs no change of thread.
  /// The loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Sends pushes and reports on every one, in their order; what cannot be answered before the deadline is not sent.
  public func send(_ pushes: [QueuedPush], until deadline: ContinuousClock.Instant) async -> [PushReport] {
    var batch = PushBatch(pushes, configuration)
    for environment in PushEnvironment.allCases {
      var queue = batch.indices(in: environment)
      var resent: Set<Int> = []
      var rounds = 0
      while !queue.isEmpty, rounds < Self.maximumRounds, !Task.isCancelled,
        ContinuousClock.now.duration(to: deadline) > limits.round
      {
        queue = await round(queue, of: &batch, in: environment, &resent)
        rounds += 1
      }
      batch.giveBack(queue, pause: RetryTiming.reconnect(failures: 1), reason: "NotSent")
    }
    return batch.allReports
  }

  /// Closes the connections.
  public func close() async {
    for client in lanes.values.compactMap(\.client) { await client.close() }
    lanes = [:]
  }

  // Two for a first push alone and the rest, and some for what APNs asks to be sent once more.
  private static let maximumRounds = 8

  /// Sends what may be sent on the present connection, and gives what is to be sent on the next.
  private func round(
    _ indices: [Int], of batch: inout PushBatch, in environment: PushEnvironment, _ resent: inout Set<Int>
  ) async -> [Int] {
    let queue = giveBackHeld(indices, of: &batch)
    guard !queue.isEmpty else { return [] }
    guard let exchange = await exchange(with: environment) else {
      let lane = lanes[environment] ?? SenderLane()
      batch.giveBack(queue, pause: lane.pause(at: .now), reason: lane.problem)
      return []
    }
    let wave = lanes[environment]?.isProven == true ? queue[...] : queue.prefix(1)
    let results = await exchange.send(wave, of: batch)
    var again: [Int] = []
    for (index, report) in results {
      if isToBeResent(report, index, &resent) {
        again.append(index)
      } else {
        conclude(report, at: index, of: &batch)
      }
    }
    await review(results.map(\.report), environment)
    return again.sorted() + queue.dropFirst(wave.count)
  }

  private func giveBackHeld(_ indices: [Int], of batch: inout PushBatch) -> [Int] {
    indices.filter { index in
      guard let pause = holds.pause(batch.apps[index], at: .now) else { return true }
      batch.giveBack([index], pause: pause, reason: "Held")
      return false
    }
  }

  private func isToBeResent(_ report: PushReport, _ index: Int, _ resent: inout Set<Int>) -> Bool {
    switch report.verdict {
    case .notSent, .retryAtOnce(otherwise: .notSent): true
    case .retryAtOnce: resent.insert(index).inserted
    case .renewToken: token.renew(at: now()) && resent.insert(index).inserted
    default: false
    }
  }

  private func conclude(_ report: PushReport, at index: Int, of batch: inout PushBatch) {
    var report = report
    report.verdict = report.verdict.final
    holds.note(report.verdict, batch.apps[index], at: .now)
    batch.report(report, at: index)
  }

  private func exchange(with environment: PushEnvironment) async -> APNsExchange? {
    guard let client = await client(environment) else { return nil }
    do {
      return APNsExchange(
        client: client, authority: configuration.endpoint(environment).authority,
        authorization: try token.authorization(at: now()), timeout: limits.answer)
    } catch {
      lanes[environment, default: SenderLane()].failed("\(error)", at: .now)
      return nil
    }
  }

  private func client(_ environment: PushEnvironment) async -> HTTP2Client? {
    var lane = lanes[environment, default: SenderLane()]
    defer { lanes[environment] = lane }
    if let client = lane.client {
      if await client.isUsable { return client }
      lane.ended("the connection was closed", at: .now)
    }
    guard lane.pause(at: .now) == nil else { return nil }
    do {
      let client = try await HTTP2Client.connect(
        to: configuration.endpoint(environment), trust: configuration.trust, connectTimeout: limits.connecting,
        loop: loop)
      lane.client = client
      return client
    } catch {
      lane.failed("\(error)", at: .now)
      return nil
    }
  }

  /// Decides whether the connection goes on after a wave.
  private func review(_ reports: [PushReport], _ environment: PushEnvironment) async {
    guard var lane = lanes[environment], let client = lane.client else { return }
    if reports.contains(where: \.verdict.provesConnection) { lane.proved() }
    let isLost = await !client.isUsable
    if reports.allSatisfy({ $0.verdict == .unknown }), !isLost || !lane.isProven {
      lane.failed("no answer", at: .now)
    } else if isLost || reports.contains(where: \.verdict.spoilsConnection) {
      lane.ended("the connection was closed", at: .now)
    }
    lanes[environment] = lane
    if lane.client == nil { await client.close() }
  }
}
