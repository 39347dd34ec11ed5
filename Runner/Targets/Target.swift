import EventLoop
import FoundationEssentials
package import FunctionKit
package import HTTPClient
import Manifest
package import System
package import Workers

/// A function that runs elsewhere, as its pool sees it: sends events, and says what came of each.
///
/// An event that did not arrive for certain is sent again within its time limit. While the target is away, events come
/// back with ``WorkerOutcome/Disposition/pause``: they keep their places and lose no attempt.
@RunnerLoop
package final class Target: EventTarget {
  /// The largest answer, in bytes, as of processes.
  static let mostAnswer = 6 << 20
  /// The bytes that are kept of an answer for which nobody waits: enough for the sentence of a failure.
  static let mostKept = 65_536
  /// A connection has to stand within this time.
  static let connectLimit = Duration.seconds(5)
  /// The pause before an event is sent again that did not arrive; twice as long each time.
  static let firstResend = Duration.milliseconds(50)
  /// The pause before another event is the try, because the one that was has said nothing of the target.
  static let nextTryPause = Duration.seconds(1)

  /// A request on its way.
  @RunnerLoop
  private struct Sending {
    let jobs: [Job]
    let began = ContinuousClock.now
    let done: @RunnerLoop (Job, WorkerOutcome) -> Void
    var resends = 0
    /// The jobs that follow, one by one, because a request with all of them was refused.
    var rest: ArraySlice<Job> = []

    var id: ObjectIdentifier { ObjectIdentifier(jobs[0]) }
    /// Whether somebody wants the whole answer.
    var isAwaited: Bool { jobs[0].isAwaited }
  }

  /// Told when events that came back may be sent again.
  package var onReady: (@RunnerLoop () -> Void)?
  private var settings: TargetSettings
  private let client: LoopHTTPClient
  private let log: Log
  private(set) var circuit = Circuit()
  private var problem = ""
  private var isAway = false
  private var isBrokenOff = false
  private var nextTry: TimerID?
  private var calls: [ObjectIdentifier: LoopHTTPClient.CallID] = [:]

  /// - Parameter client: on the runner's loop; all targets may share one.
  package init(_ settings: TargetSettings, client: LoopHTTPClient, log: Log) {
    (self.settings, self.client, self.log) = (settings, client, log)
  }

  /// Follows other settings; what is on its way goes on.
  package func use(_ settings: TargetSettings) {
    self.settings = settings
    isBrokenOff = false
    forgive()
  }

  package var outage: WorkerOutcome.Elsewhere? {
    guard !circuit.isClosed else { return nil }
    let seconds = circuit.nextTry.map { max(0, Int(($0 - .now) / .seconds(1) + 0.999)) }
    let next = seconds.map { "it is asked again in \($0) s" } ?? "it is being asked again"
    return .init(.away, "\(problem); \(next).", .pause, retryAfter: max(1, seconds ?? 1))
  }

  package func send(_ jobs: [Job], then done: @escaping @RunnerLoop (Job, WorkerOutcome) -> Void) {
    send(Sending(jobs: jobs, done: done))
  }

  package func forgive() { circuit.tryNow(at: .now) }

  package func breakOff() {
    isBrokenOff = true
    for call in calls.values { client.cancel(call) }
  }

  private func send(_ sending: Sending) {
    let left = .seconds(settings.entry.timeout) - (.now - sending.began)
    guard let request = EventRequest(sending.jobs, to: settings, time: Int(Date.now.timeIntervalSince1970))
    else { return finishLater(sending, .init(.refused, "The event is no JSON object.", .permanent)) }
    if isBrokenOff { return finishLater(sending, .init(.away, "The runner is stopping.", .pause, retryAfter: 1)) }
    guard circuit.maySend(at: .now) else {
      return finishLater(sending, outage ?? .init(.away, "The target is away.", .pause, retryAfter: 1))
    }
    // What an answer says of the events of a batch is wanted whole.
    let isWhole = sending.isAwaited || request.isBatch
    let limits = HTTPLimits(
      connect: min(Self.connectLimit, left), total: left, body: Self.mostAnswer,
      kept: isWhole ? Self.mostAnswer : Self.mostKept)
    calls[sending.id] = client.send(request.call, trust: settings.trust, limits: limits) { [self] in
      calls[sending.id] = nil
      ended(sending, $0, isBatch: request.isBatch)
    }
  }

  private func ended(_ sending: Sending, _ result: Result<HTTPAnswer, HTTPClientError>, isBatch: Bool) {
    let reading = TargetReading(result, of: settings, now: .now)
    switch reading.health {
    case .works: recovered()
    case .fails(let asked): failed(reading.problem, asking: asked)
    case .unknown: if circuit.learntNothing(at: .now) { tell(after: Self.nextTryPause) }
    }
    guard reading.isUnreached else {
      if sending.jobs.count > 1, reading.isRefusal { return sendOneByOne(sending) }
      let failed = isBatch ? reading.failures(among: sending.jobs.map(\.id)) : [:]
      for job in sending.jobs { finish(job, of: sending, failed[job.id] ?? reading.ending, reading.answer(to: job)) }
      return sendNext(after: sending)
    }
    let pause = Self.firstResend * (1 << min(sending.resends, 6))
    let isInTime = .now + pause < sending.began + .seconds(settings.entry.timeout)
    guard circuit.isClosed, isInTime, !isBrokenOff else {
      // Others may get through: what waits is tried again soon, and has lost no attempt.
      if outage == nil { tell(after: Self.nextTryPause) }
      return finish(sending, outage.map { .elsewhere($0) } ?? reading.ending)
    }
    var again = sending
    again.resends += 1
    RunnerLoop.loop.schedule(after: pause) { [self] in send(again) }
  }

  /// A request with several events was refused: which of them is the reason shows when each comes alone.
  private func sendOneByOne(_ sending: Sending) {
    sendNext(after: Sending(jobs: sending.jobs, done: sending.done, rest: sending.jobs[...]))
  }

  private func sendNext(after sending: Sending) {
    guard let next = sending.rest.first else { return }
    send(Sending(jobs: [next], done: sending.done, rest: sending.rest.dropFirst()))
  }

  private func finishLater(_ sending: Sending, _ end: WorkerOutcome.Elsewhere) {
    RunnerLoop.loop.atEndOfTurn { [self] in finish(sending, .elsewhere(end)) }
  }

  private func finish(_ sending: Sending, _ ending: WorkerOutcome.Ending) {
    for job in sending.jobs { finish(job, of: sending, ending) }
    sendNext(after: sending)
  }

  private func finish(_ job: Job, of sending: Sending, _ ending: WorkerOutcome.Ending, _ answer: RawJSON? = nil) {
    sending.done(job, WorkerOutcome(ending: ending, duration: .now - sending.began, answer: answer))
  }

  private func failed(_ problem: String, asking asked: Duration) {
    self.problem = problem
    guard circuit.failed(asking: asked, at: .now), let next = circuit.nextTry else { return }
    if !isAway {
      log.error(
        "The function's target is away: its events wait and lose no attempt",
        ["function": settings.entry.name, "target": settings.place, "error.message": problem])
    }
    isAway = true
    tell(after: next - .now)
  }

  /// Says later that an event may be sent.
  private func tell(after pause: Duration) {
    if let nextTry { RunnerLoop.loop.cancel(nextTry) }
    nextTry = RunnerLoop.loop.schedule(after: pause) { [self] in
      nextTry = nil
      onReady?()
    }
  }

  private func recovered() {
    guard circuit.succeeded() else { return }
    if let nextTry { RunnerLoop.loop.cancel(nextTry) }
    nextTry = nil
    if isAway {
      log.info("The function's target answers again", ["function": settings.entry.name, "target": settings.place])
    }
    isAway = false
    RunnerLoop.loop.atEndOfTurn { [self] in onReady?() }
  }
}

extension Job {
  /// Whether somebody wants to know what it is answered, not only whether it was done.
  var isAwaited: Bool { trigger == .http || trigger == .notify }
}
