import EventLoop
import FoundationEssentials
import FunctionKit
import Manifest
import System
import Workers

extension EventEngine {
  /// Crashes after which an event runs in a process of its own, and after which it runs no more.
  static let crashesUntilAlone = 2
  static let mostCrashes = 3

  /// Starts what may start of a function's events.
  func start(_ function: String) {
    guard !isStopping, let pool = pools[function] else { return }
    while let event = lines[function]?.next(limit: pool.capacity) {
      let epoch = lanes.lease[event.place.lane]
      guard !event.isTooLarge else {
        inFlight[event.place.lane].insert(event.place.id)
        finish(event, EndedAttempt(tooLarge: event), epoch: epoch)
        continue
      }
      inFlight[event.place.lane].insert(event.place.id)
      pool.submit(
        Job(
          id: event.eventID, line: event.line, isAlone: event.crashes >= Self.crashesUntilAlone,
          trigger: event.isOfSchedule ? .schedule : .queue
        ) { [self] outcome in
          end(event, outcome, epoch: epoch)
        })
    }
  }

  private func end(_ event: QueuedEvent, _ outcome: WorkerOutcome, epoch: Int64?) {
    if outcome.disposition == .pause, lanes.holds(event.place.lane, since: epoch) {
      inFlight[event.place.lane].remove(event.place.id)
      lines[event.function]?.putBack(event)
      guard lines[event.function]?.isPaused == false else { return }
      lines[event.function]?.isPaused = true
      log.error(
        "The function is paused until it is mended",
        ["function": event.function, "error.code": outcome.code, "error.message": outcome.message])
      return
    }
    finish(event, settlement(of: event, outcome), epoch: epoch)
    start(event.function)
  }

  /// Takes note of the end of an attempt; of one whose lane is another runner's by now nothing is settled.
  private func finish(_ event: QueuedEvent, _ attempt: EndedAttempt, epoch: Int64?) {
    finished += 1
    let isOurs = lanes.holds(event.place.lane, since: epoch)
    let isDone = if case .done = attempt.settlement { true } else { false }
    lines[event.function]?.ended(event, holds: !isDone, isForeign: !isOurs)
    guard isOurs else { return }
    inFlight[event.place.lane].remove(event.place.id)
    ended.append(attempt)
    (ended[ended.count - 1].session, ended[ended.count - 1].line) = (event.session, event.line)
    if ended.count == Self.settledAtOnce { return bell.ring() }
    if ended.count == 1, !doorbell.isAwake {
      RunnerLoop.loop.schedule(after: settlingPause) { [bell] in bell.ring() }
    }
  }

  private func settlement(of event: QueuedEvent, _ outcome: WorkerOutcome) -> EndedAttempt {
    if outcome.disposition == .done {
      return EndedAttempt(
        place: event.place, attempt: event.attempt, crashes: event.crashes, microseconds: outcome.microseconds)
    }
    var attempt = EndedAttempt(
      place: event.place, attempt: event.attempt, crashes: event.crashes, code: outcome.code,
      exitStatus: outcome.exitStatus, microseconds: outcome.microseconds, error: outcome.report,
      settlement: .deadLetter)
    (attempt.progress, attempt.countedFrom) = (event.progress, event.countedFrom)
    if case .retry = outcome.disposition { attempt.isCounted = !isFaultOfDatabase(outcome) }
    if outcome.progress > event.progress {
      (attempt.progress, attempt.countedFrom, attempt.crashes) = (outcome.progress, attempt.nextAttempt, 0)
    } else if case .crashed = outcome.ending {
      attempt.crashes += 1
    }
    if case .retry(let after) = outcome.disposition {
      let random = Double.random(in: 0...1)
      let delay =
        attempt.isCounted
        ? Backoff.delay(afterFailures: attempt.failures, retryAfter: after, random: random)
        : Backoff.delay(whileAway: event.time.map { now().timeIntervalSince($0) }, random: random)
      if mayRetry(event, in: delay, after: attempt) { attempt.settlement = .retry(delay: delay) }
    }
    if case .deadLetter = attempt.settlement {
      log.error(
        "An event is a dead letter",
        ["function": event.function, "event.id": event.eventID, "error.code": outcome.code])
    }
    return attempt
  }

  /// Whether an attempt failed because the database was away: the function says so, or it ran out of time while this
  /// runner lost the database too.
  private func isFaultOfDatabase(_ outcome: WorkerOutcome) -> Bool {
    if outcome.isDatabaseAway { return true }
    guard case .timedOut = outcome.ending, let lost else { return false }
    return .now - lost <= outcome.duration
  }

  /// Whether an event may be tried again; one whose function is gone by now waits for its return.
  private func mayRetry(_ event: QueuedEvent, in delay: Double, after ended: EndedAttempt) -> Bool {
    guard let entry = pools[event.function]?.entry else { return true }
    guard ended.crashes < Self.mostCrashes, ended.failures - ended.crashes < entry.attempts else { return false }
    guard let time = event.time else { return true }
    return now().timeIntervalSince(time) + delay <= Double(entry.maxAge)
  }
}

extension EndedAttempt {
  /// How often in a row the event has failed without getting further.
  fileprivate var failures: Int { nextAttempt - countedFrom }

  /// The end of an event that is larger than any function takes.
  fileprivate init(tooLarge event: QueuedEvent) {
    self.init(
      place: event.place, attempt: event.attempt, crashes: event.crashes, code: "TOO_LARGE", exitStatus: nil,
      microseconds: 0, error: "The event is larger than \(Envelope.maximumSize) bytes.", settlement: .deadLetter)
  }
}

extension WorkerOutcome {
  /// What a retry or a dead letter remembers: the sentence, and the end of stderr.
  fileprivate var report: String {
    stderrTail.isEmpty ? message : "\(message)\n\(stderrTail)"
  }

  /// How long it took.
  package var microseconds: Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  /// `nil` where the process did not end by itself.
  var exitStatus: Int? {
    if case .exited(let status, _) = ending { Int(status) } else { nil }
  }
}
