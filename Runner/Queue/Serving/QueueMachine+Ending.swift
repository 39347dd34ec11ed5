import FoundationEssentials
import FunctionKit
import Manifest
import Workers

extension QueueMachine {
  /// Crashes after which an event runs no more.
  static let mostCrashes = 3

  /// Crashes after which an event runs in a process of its own: of a function with batches the first one, because it was
  /// alone in its process then.
  static func crashesUntilAlone(_ entry: FunctionEntry) -> Int { entry.batch == nil ? 2 : 1 }

  /// An event that starts, and the epoch under which its partition is held.
  struct Started {
    var event: QueuedEvent
    var epoch: Int64?
  }

  /// When an attempt ended, by both clocks, and a number from 0 to 1 that spreads retries.
  struct Moment {
    var now: Instant
    var date: Date
    var random: Double
  }

  /// The next event of a function that may start while fewer than `limit` run.
  ///
  /// A runner that was stopped for longer than its lease starts nothing that it has in memory before it has asked for its
  /// partitions again: another runner may be at work on the same keys.
  mutating func start(_ function: String, limit: Int, now: Instant) -> Started? {
    guard !isStopping, lease.isTrusted(at: now) else { return nil }
    while let event = queues[function]?.next(limit: limit) {
      let epoch = lease.held[event.place.partition]
      inFlight[event.place.partition].insert(event.place.id)
      if !returned.isEmpty { returned.remove(event.place) }
      guard event.isTooLarge else { return Started(event: event, epoch: epoch) }
      finish(event, EndedAttempt(tooLarge: event), epoch)
    }
    return nil
  }

  /// An attempt has ended; the next event may start.
  mutating func end(
    _ event: QueuedEvent, _ outcome: WorkerOutcome, epoch: Int64?, at moment: @autoclosure () -> Moment
  ) {
    if outcome.disposition == .pause, lease.holds(event.place.partition, since: epoch) {
      return putBack(event, outcome)
    }
    guard outcome.disposition != .done else { return finish(event, EndedAttempt(done: event, outcome), epoch) }
    finish(event, settlement(of: event, outcome, moment()), epoch)
  }

  private mutating func putBack(_ event: QueuedEvent, _ outcome: WorkerOutcome) {
    inFlight[event.place.partition].remove(event.place.id)
    queues[event.function]?.putBack(event)
    if event.place.table == .events, cursors[event.place.partition]?.brings(event.place.id) == true {
      returned.insert(event.place)
    }
    guard queues[event.function]?.isPaused == false else { return }
    queues[event.function]?.isPaused = true
    effects.append(.say(.paused(event.function, outcome)))
  }

  /// Takes note of the end of an attempt; of one whose partition is another runner's by now nothing is settled.
  private mutating func finish(_ event: QueuedEvent, _ attempt: EndedAttempt, _ epoch: Int64?) {
    finished += 1
    let isOurs = lease.holds(event.place.partition, since: epoch)
    queues[event.function]?.ended(event, holds: !attempt.isDone, isForeign: !isOurs)
    guard isOurs else { return }
    inFlight[event.place.partition].remove(event.place.id)
    ended.append(attempt)
    let last = ended.count - 1
    (ended[last].function, ended[last].key) = (event.function, event.key)
    (ended[last].session, ended[last].line) = (event.session, event.line)
    if ended.count == Self.settledAtOnce {
      effects.append(.wakeUp(after: .zero))
    } else if ended.count == 1, !gate.isAwake {
      effects.append(.wakeUp(after: settlingPause))
    }
  }

  private mutating func settlement(
    of event: QueuedEvent, _ outcome: WorkerOutcome, _ moment: Moment
  ) -> EndedAttempt {
    var attempt = EndedAttempt(
      place: event.place, attempt: event.attempt, crashes: event.crashes, code: outcome.code,
      exitStatus: outcome.exitStatus, microseconds: outcome.microseconds, error: outcome.report,
      settlement: .deadLetter)
    (attempt.progress, attempt.countedFrom) = (event.progress, event.countedFrom)
    if case .retry = outcome.disposition { attempt.isCounted = !isFaultOfDatabase(outcome, moment.now) }
    if outcome.progress > event.progress {
      (attempt.progress, attempt.countedFrom, attempt.crashes) = (outcome.progress, attempt.nextAttempt, 0)
    } else if case .crashed = outcome.ending {
      attempt.crashes += 1
    }
    if case .retry(let after) = outcome.disposition {
      let age = event.time.map { moment.date.timeIntervalSince($0) }
      let delay =
        attempt.isCounted
        ? Backoff.delay(afterFailures: attempt.failures, retryAfter: after, random: moment.random)
        : Backoff.delay(whileAway: age, random: moment.random)
      if mayRetry(event.function, age: age, in: delay, after: attempt) { attempt.settlement = .retry(delay: delay) }
    }
    if case .deadLetter = attempt.settlement { effects.append(.say(.deadLetter(event, code: outcome.code))) }
    return attempt
  }

  /// Whether an attempt failed because the database was away: the function says so, or it ran out of time while this
  /// runner lost the database too.
  private func isFaultOfDatabase(_ outcome: WorkerOutcome, _ now: Instant) -> Bool {
    if outcome.isDatabaseAway { return true }
    guard case .timedOut = outcome.ending, let lost else { return false }
    return now - lost <= outcome.duration
  }

  /// Whether an event may be tried again; one whose function is gone by now waits for its return.
  private func mayRetry(_ function: String, age: Double?, in delay: Double, after ended: EndedAttempt) -> Bool {
    guard let entry = functions[function] else { return true }
    guard ended.crashes < Self.mostCrashes, ended.failures - ended.crashes < entry.attempts else { return false }
    guard let age else { return true }
    return age + delay <= Double(entry.maxAge)
  }
}

extension EndedAttempt {
  /// How often in a row the event has failed without getting further.
  fileprivate var failures: Int { nextAttempt - countedFrom }

  fileprivate init(done event: QueuedEvent, _ outcome: WorkerOutcome) {
    self.init(
      place: event.place, attempt: event.attempt, crashes: event.crashes, microseconds: outcome.microseconds)
  }

  /// The end of an event that is larger than any function takes.
  fileprivate init(tooLarge event: QueuedEvent) {
    self.init(
      place: event.place, attempt: event.attempt, crashes: event.crashes, code: "TOO_LARGE", exitStatus: nil,
      microseconds: 0, error: "The event is larger than \(Envelope.maximumSize) bytes.", settlement: .deadLetter)
  }
}

extension WorkerOutcome {
  /// `nil` where the process did not end by itself.
  var exitStatus: Int? {
    if case .exited(let status, _) = ending { Int(status) } else { nil }
  }
}
