import FoundationEssentials
import FunctionKit
import Manifest
import Workers

/// The attempts that have ended and are not in the tables yet, and what becomes of events that failed.
///
/// Pure: it reads no clock.
struct Settling {
  /// When an attempt ended, by both clocks, and a number from 0 to 1 that spreads retries.
  struct Moment {
    var now: ContinuousClock.Instant
    var date: Date
    var random: Double
  }

  /// Crashes after which an event runs no more.
  private static let mostCrashes = 3

  /// What no poll has been asked to settle yet.
  private(set) var ended: [EndedAttempt] = []
  /// How many attempts have ended in all.
  private(set) var finished = 0
  /// How many of them are written down.
  private(set) var settled = 0
  /// When the database was last found away.
  private var lost: ContinuousClock.Instant?

  /// An attempt has ended; `nil` where its partition is another runner's by now: of it nothing is settled.
  mutating func add(_ attempt: EndedAttempt?, of event: QueuedEvent) {
    finished += 1
    guard let attempt else { return }
    ended.append(attempt)
    let last = ended.count - 1
    (ended[last].function, ended[last].key) = (event.function, event.key)
    (ended[last].session, ended[last].line) = (event.session, event.line)
  }

  /// Gives what has ended to a poll.
  mutating func handOver() -> [EndedAttempt] {
    defer { ended = [] }
    return ended
  }

  /// A poll has settled this many.
  mutating func wereSettled(_ count: Int) { settled += count }

  /// A poll that was to settle these has failed.
  mutating func takeBack(_ attempts: [EndedAttempt]) { ended = attempts + ended }

  /// Other runners settle what has ended of these partitions.
  mutating func lose(_ lost: Set<Int>) { ended.removeAll { lost.contains($0.place.partition) } }

  /// The database was found away.
  mutating func loseDatabase(_ now: ContinuousClock.Instant) { lost = now }

  /// What becomes of an event whose attempt has failed.
  ///
  /// - Parameter entry: its function; `nil` where that is gone by now.
  func failure(
    of event: QueuedEvent, _ outcome: WorkerOutcome, _ entry: FunctionEntry?, _ moment: Moment
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
        ? Backoff.delay(
          afterFailures: attempt.failures, retryAfter: after, isBusy: outcome.isBusy, random: moment.random)
        : Backoff.delay(whileAway: age, random: moment.random)
      if Self.mayRetry(attempt, of: entry, age: age, in: delay) { attempt.settlement = .retry(delay: delay) }
    }
    return attempt
  }

  /// Whether an attempt failed because the database was away: the function says so, or it ran out of time while this
  /// runner lost the database too.
  private func isFaultOfDatabase(_ outcome: WorkerOutcome, _ now: ContinuousClock.Instant) -> Bool {
    if outcome.isDatabaseAway { return true }
    guard case .timedOut = outcome.ending, let lost else { return false }
    return now - lost <= outcome.duration
  }

  /// Whether an event may be tried again; one whose function is gone by now waits for its return.
  private static func mayRetry(
    _ ended: EndedAttempt, of entry: FunctionEntry?, age: Double?, in delay: Double
  ) -> Bool {
    guard let entry else { return true }
    guard ended.crashes < mostCrashes, ended.failures - ended.crashes < entry.attempts else { return false }
    guard let age else { return true }
    return age + delay <= Double(entry.maxAge)
  }
}

extension WorkerOutcome {
  /// `nil` where the process did not end by itself.
  var exitStatus: Int? {
    if case .exited(let status, _) = ending { Int(status) } else { nil }
  }
}
