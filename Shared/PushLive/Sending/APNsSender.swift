public import EventLoop
public import FoundationEssentials
public import FunctionKit
public import Notifications
import Synchronization

/// Sends pushes to APNs over connections that stay open between batches, with their own for every key and environment.
///
/// It decides nothing about deliveries: it resends what APNs asks to be resent at once, holds what has to be held, and
/// reports. Any number of batches may be under way.
public actor APNsSender {
  let configuration: APNsConfiguration
  let limits: Limits
  let tokens: ProviderTokenStore
  let loop: EventLoop
  let log: Log
  let now: @Sendable () -> Date
  var lanes: [Lane] = []
  var places: [APNsApp: Int?] = [:]
  /// The apps whose missing topic was already reported.
  var appsWithoutTopic: Set<String> = []
  var breakers = Breakers()
  var batches: [Int: PushBatch] = [:]
  var isKeptAlive = false
  private let batchNumbers = Atomic(0)

  /// The time limits, and how many connections to have.
  public struct Limits: Sendable {
    /// For a connection.
    public var connecting: Duration
    /// For the answer to one push.
    public var answer: Duration
    /// The most connections for one key in one environment.
    public var connections = 4
    /// A push that waits for longer than this while every stream is in use gets another connection.
    public var congestion = Duration.milliseconds(250)
    /// A connection that was silent for this long is asked whether it lives before it carries a push.
    public var silence = Duration.seconds(15)
    /// For the answer to that question.
    public var liveness = Duration.seconds(2)
    /// An idle connection is kept open by a PING as often as this.
    public var keepAlive = Duration.seconds(3_600)

    /// Five and ten seconds unless given.
    public init(connecting: Duration = .seconds(5), answer: Duration = .seconds(10)) {
      (self.connecting, self.answer) = (connecting, answer)
    }
  }

  /// A sender without connections.
  ///
  /// - Parameters:
  ///   - tokens: where the team's processes share their provider tokens.
  ///   - now: the clock for the dates of provider tokens and the ends of holds.
  public init(
    _ configuration: APNsConfiguration, limits: Limits = Limits(), tokens: ProviderTokenStore = .ofThisProcess(),
    loop: EventLoop = EventLoop(name: "apns"), log: Log = Log(), now: @escaping @Sendable () -> Date = { .now }
  ) {
    (self.configuration, self.limits, self.tokens) = (configuration, limits, tokens)
    (self.loop, self.log, self.now) = (loop, log, now)
  }

  /// This moment of the clock for the ends of holds; connections are judged by the machine's.
  var moment: ContinuousClock.Instant { .now(by: now) }

  // The connections live on the loop: from there, asking one of them costs no change of thread.
  /// The loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Sends pushes and reports on every one, in their order; what cannot be answered before the deadline is not sent.
  ///
  /// When the task is cancelled nothing more is sent; what is on its way is still answered.
  public nonisolated func send(
    _ pushes: [QueuedPush], until deadline: ContinuousClock.Instant
  ) async -> [PushReport] {
    let number = batchNumbers.add(1, ordering: .relaxed).newValue
    return await withTaskCancellationHandler {
      await deliver(pushes, number, until: deadline)
    } onCancel: { [loop] in
      loop.execute { self.assumeIsolated { $0.cutOff(number, pause: nil) } }
    }
  }

  /// Closes the connections.
  public func close() {
    for lane in lanes {
      for connection in lane.connections { connection.close() }
      lane.connections = []
    }
  }

  private func deliver(
    _ pushes: [QueuedPush], _ number: Int, until deadline: ContinuousClock.Instant
  ) async -> [PushReport] {
    guard !pushes.isEmpty else { return [] }
    refreshKeys()
    return await withCheckedContinuation { continuation in
      let batch = PushBatch(number, pushes) { continuation.resume(returning: $0) }
      batches[number] = batch
      enqueue(batch)
      let left = ContinuousClock.now.duration(to: deadline) - limits.answer
      if Task.isCancelled { return cutOff(number, pause: nil) }
      guard left > .zero else { return cutOff(number, pause: RetryTiming.reconnect(failures: 1)) }
      batch.timer = loop.schedule(after: left) { [weak self] in
        self?.assumeIsolated { $0.cutOff(number, pause: RetryTiming.reconnect(failures: 1)) }
      }
      for lane in lanes { pump(lane) }
      finishIfDone(batch)
    }
  }

  /// Sends no more of a batch.
  private func cutOff(_ number: Int, pause: Duration?) {
    guard let batch = batches[number] else { return }
    batch.isCutOff = true
    for index in batch.waiting {
      batch.report(.notSent(app(of: batch.pushes[index]), pause: pause, reason: "NotSent"), at: index)
    }
    finishIfDone(batch)
  }

  func finishIfDone(_ batch: PushBatch) {
    guard batch.isDone, batches.removeValue(forKey: batch.number) != nil else { return }
    batch.timer.map(loop.cancel)
    spareSuspects(of: batch)
    batch.finish()
  }
}
