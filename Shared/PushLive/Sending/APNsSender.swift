package import EventLoop
package import FoundationEssentials
package import FunctionKit
package import Notifications
import Synchronization

/// Sends pushes to APNs. Every key and environment has its own connections, which stay open between batches.
///
/// It decides nothing about deliveries. It sends again at once what APNs asks for, holds what must be held, and
/// reports. Any number of batches may run at once.
package actor APNsSender {
  let configuration: APNsConfiguration
  let limits: Limits
  let tokens: ProviderTokenStore
  let loop: EventLoop
  let log: Log
  let now: @Sendable () -> Date
  let time: SenderTime
  var routes: [Route] = []
  var places: [APNsApp: Int?] = [:]
  /// The apps whose missing topic was already reported.
  var appsWithoutTopic: Set<String> = []
  var breakers = Breakers()
  var batches: [Int: PushBatch] = [:]
  var isKeptAlive = false
  /// When the machine's clock was looked at last, and what it showed.
  private var looked: (instant: ContinuousClock.Instant, date: Date)?
  private let batchNumbers = Atomic(0)

  /// The time limits, and how many connections to have.
  package struct Limits: Sendable {
    /// The limit for opening a connection.
    package var connecting: Duration
    /// The limit for the answer to one push.
    package var answer: Duration
    /// The most connections for one key in one environment.
    package var connections = 4
    /// After this wait of a push for a free stream, another connection is opened.
    package var congestion = Duration.milliseconds(250)
    /// After this silence a connection is checked before it gets a push.
    package var silence = Duration.seconds(15)
    /// The limit for the answer to that check.
    package var liveness = Duration.seconds(2)
    /// How often an idle connection gets a PING, which keeps it open.
    package var keepAlive = Duration.seconds(3_600)

    /// Five and ten seconds unless given.
    package init(connecting: Duration = .seconds(5), answer: Duration = .seconds(10)) {
      (self.connecting, self.answer) = (connecting, answer)
    }
  }

  /// A sender without connections.
  ///
  /// - Parameters:
  ///   - tokens: the store in which the team's processes share their provider tokens.
  ///   - now: the clock for the dates of provider tokens and the ends of holds.
  ///   - time: the connections' time; the deadlines of batches are moments of it.
  package init(
    _ configuration: APNsConfiguration, limits: Limits = Limits(), tokens: ProviderTokenStore = .ofThisProcess(),
    loop: EventLoop = EventLoop(name: "apns"), log: Log = Log(), now: @escaping @Sendable () -> Date = { .now },
    time: SenderTime = .machine
  ) {
    (self.configuration, self.limits, self.tokens) = (configuration, limits, tokens)
    (self.loop, self.log, self.now, self.time) = (loop, log, now, time)
  }

  /// The present moment of the clock for the ends of holds.
  ///
  /// Connections use a clock that is never set.
  var moment: ContinuousClock.Instant { time.moment(by: now) }

  // The connections live on the loop, so a call to one of them needs no change of thread.
  /// The loop's thread.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Sends pushes and reports on each, in their order.
  ///
  /// A push that cannot be answered before the deadline is not sent.
  ///
  /// A cancelled task sends nothing more. Pushes that were sent are still answered.
  package nonisolated func send(
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
  package func close() {
    for route in routes {
      for connection in route.connections { connection.close() }
      route.connections = []
    }
  }

  /// Releases the keys that APNs has refused if the clock was set since the last look: their tokens had a wrong time.
  private func followClock() {
    let (instant, date) = (time.instant(), time.date())
    defer { looked = (instant, date) }
    guard let looked else { return }
    let step = date.timeIntervalSince(looked.date) - (instant - looked.instant) / .seconds(1)
    guard abs(step) > Self.clockStep else { return }
    for route in routes { logNews(breakers.lift(route.id, at: moment)) }
  }

  /// A clock that jumps by more seconds than this was set; smaller jumps are ordinary.
  private static let clockStep = 60.0

  private func deliver(
    _ pushes: [QueuedPush], _ number: Int, until deadline: ContinuousClock.Instant
  ) async -> [PushReport] {
    guard !pushes.isEmpty else { return [] }
    refreshKeys()
    followClock()
    return await withCheckedContinuation { continuation in
      let batch = PushBatch(number, pushes) { continuation.resume(returning: $0) }
      batches[number] = batch
      enqueue(batch)
      let left = time.instant().duration(to: deadline) - limits.answer
      if Task.isCancelled { return cutOff(number, pause: nil) }
      guard left > .zero else { return cutOff(number, pause: RetryTiming.reconnect(failures: 1)) }
      batch.timer = loop.schedule(after: left) { [weak self] in
        self?.assumeIsolated { $0.cutOff(number, pause: RetryTiming.reconnect(failures: 1)) }
      }
      for route in routes { pump(route) }
      finishIfDone(batch)
    }
  }

  /// Sends nothing more of a batch.
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
