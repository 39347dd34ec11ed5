import Capture
import FoundationEssentials
import FunctionKit
import Manifest
import Postgres
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

  /// The attempts that no poll has been asked to settle yet.
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

  /// The fate of an event whose attempt has failed.
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

/// An attempt that has ended, on its way into the database.
struct EndedAttempt: Sendable {
  /// The fate of the event's row.
  enum Settlement: Sendable {
    case done
    /// Another attempt after a pause, in seconds.
    case retry(delay: Double)
    case deadLetter
  }

  var place: QueuedEvent.Place
  /// The event's function and key, the session of the database in which it was read, and its line.
  var function = ""
  var key: String?
  var session = 0
  var line: [UInt8] = []
  /// The attempt's number, from 0.
  var attempt: Int
  /// The number of crashes, with this attempt's.
  var crashes: Int
  /// The event's progress, with this attempt's.
  var progress: Int64 = 0
  /// The first attempt that counts.
  var countedFrom = 0
  var code = "OK"
  /// `nil` where the process did not end by itself.
  var exitStatus: Int? = 0
  var microseconds: Int64
  var error: String?
  var settlement = Settlement.done
  /// Whether it is one of the event's tries: none is used up while the database is away.
  var isCounted = true

  var isDone: Bool {
    if case .done = settlement { true } else { false }
  }

  /// When the event's row was written, for PostgreSQL; `-infinity` where that is not known.
  ///
  /// A server that comes back from an older state draws the same ids again, for events that are written later.
  var writtenAt: String {
    guard let time = QueuedEvent.time(of: line), RFC3339.date(time) != nil else { return "-infinity" }
    return time
  }

  /// The number of the attempt after it.
  var nextAttempt: Int { isCounted ? attempt + 1 : attempt }

  /// How often in a row the event has failed without getting further.
  var failures: Int { nextAttempt - countedFrom }
}

extension EndedAttempt {
  init(done event: QueuedEvent, _ outcome: WorkerOutcome) {
    self.init(
      place: event.place, attempt: event.attempt, crashes: event.crashes, microseconds: outcome.microseconds)
  }

  /// The end of an event that is larger than any function takes.
  init(tooLarge event: QueuedEvent) {
    self.init(
      place: event.place, attempt: event.attempt, crashes: event.crashes, code: "TOO_LARGE", exitStatus: nil,
      microseconds: 0, error: "The event is larger than \(Envelope.maximumSize) bytes.", settlement: .deadLetter)
  }
}

/// How long a failed event waits before its next attempt.
enum Backoff {
  /// The first wait at its longest, in seconds; each further one is four times as long.
  static let base = 1.0
  /// No wait is longer, in seconds.
  static let ceiling = 3_600.0

  /// The longest wait, in seconds, of an event that failed because the database was away.
  static let longestOutage = 8.0

  /// Seconds to wait while the database is away: an eighth of the event's age, at least one second.
  ///
  /// - Parameters:
  ///   - age: in seconds, `nil` where it is not known.
  ///   - random: from 0 to 1; spreads those that failed together.
  static func delay(whileAway age: Double?, random: Double) -> Double {
    min(longestOutage, max(2, (age ?? 0) / 8)) * (1 + random) / 2
  }

  /// Seconds to wait: exponential with full jitter, so that events that failed together do not come back together.
  ///
  /// - Parameters:
  ///   - failures: how often the event has failed, from 1.
  ///   - retryAfter: what the function asked for, in seconds; obeyed as it is.
  ///   - isBusy: whether a target had too much to do. It asks all for the same seconds, so they come back spread after
  ///     them.
  ///   - random: from 0 to 1.
  static func delay(afterFailures failures: Int, retryAfter: Int?, isBusy: Bool = false, random: Double) -> Double {
    let asked = retryAfter.map { Double(min(max($0, 0), 86_400)) }
    if let asked, !isBusy { return asked }
    var longest = base
    for _ in 1..<max(1, min(failures, 10)) { longest *= 4 }
    return (asked ?? 0) + min(longest, ceiling) * random
  }
}

extension EventStore {
  /// The statements that move or delete the rows of events that have ended and write down how, one for each way.
  ///
  /// - Parameter session: the session of the database that carries them out, where that is known. Of events that were read
  ///   in another one, only those rows are touched that are certainly theirs.
  func settlements(_ ended: [EndedAttempt], in session: Int?) -> [SQL] {
    let known = ended.filter { $0.session == session }
    if known.count == ended.count { return settlements(known, isChecked: false) }
    return settlements(known, isChecked: false)
      + settlements(ended.filter { $0.session != session }, isChecked: true)
  }

  private func settlements(_ ended: [EndedAttempt], isChecked: Bool) -> [SQL] {
    var statements: [SQL] = []
    let first = ended.filter { $0.isPlainSuccess }
    if !first.isEmpty { statements.append(successes(first, isChecked)) }
    let others = first.count == ended.count ? [] : ended.filter { !$0.isPlainSuccess }
    for table in QueuedEvent.Place.Table.allCases {
      let here = others.filter { $0.place.table == table }
      let done = here.filter(\.isDone)
      let retries = here.filter { if case .retry = $0.settlement { true } else { false } }
      let dead = here.filter { if case .deadLetter = $0.settlement { true } else { false } }
      func settle(_ ended: [EndedAttempt], _ change: SQL? = nil, into target: SQL = "") {
        guard !ended.isEmpty else { return }
        statements.append(self.settle(ended, change ?? removal(of: ended, table, isChecked), into: target, isChecked))
      }
      settle(done, into: kept(from: "gone"))
      if table == .events { settle(retries, into: Self.retry) } else { settle(retries, Self.postponement) }
      settle(dead, into: Self.burial)
    }
    return statements
  }

  /// The settlement of nearly all events: they are done at the first attempt.
  ///
  /// Ids that follow each other are looked up together, at half the cost for the database.
  private func successes(_ ended: [EndedAttempt], _ isChecked: Bool) -> SQL {
    """
    WITH gone AS MATERIALIZED (SELECT (event).*, duration_us FROM \(removed(ended, isChecked)))\(kept(from: "gone"))
    INSERT INTO runner.history (recorded_at, \(unescaped: Self.historyColumns))
    SELECT (SELECT clock_timestamp()), (SELECT runner.now()), partition, id, event_id, function, key, \
    \(QueuedEvent.kind), at, 0, 'OK', 0, duration_us, NULL
    FROM gone
    """
  }

  /// Any other end: what is done with the row, where it goes, and what is written down.
  private func settle(
    _ ended: [EndedAttempt], _ change: SQL, into target: SQL, _ isChecked: Bool
  ) -> SQL {
    let rows: SQL = .rows(
      "f",
      [
        "partition": "\(ended.map(\.place.partition))::smallint[]", "id": "\(ended.map(\.place.id))::bigint[]",
        "attempts": "\(ended.map(\.attempt))::integer[]", "next": "\(ended.map(\.nextAttempt))::integer[]",
        "crashes": "\(ended.map(\.crashes))::integer[]", "progress": "\(ended.map(\.progress))::bigint[]",
        "counted_from": "\(ended.map(\.countedFrom))::integer[]", "delay": "\(ended.map(\.delay))::float8[]",
        "code": "\(ended.map(\.code))::text[]", "exit_status": "\(ended.map(\.exitStatus))::smallint[]",
        "duration_us": "\(ended.map(\.microseconds))::bigint[]", "error": "\(ended.map(\.error))::text[]",
        "written": "\(ended.map { isChecked ? $0.writtenAt : "infinity" })::timestamptz[]",
      ])
    return """
      WITH f AS (
        SELECT * FROM \(rows)
      ), gone AS (
        \(change)
      )\(target)
      INSERT INTO runner.history (\(unescaped: Self.historyColumns))
      SELECT (SELECT runner.now()), partition, id, event_id, function, key, \(QueuedEvent.kind), at, attempts, code,
        exit_status, duration_us, error
      FROM gone
      """
  }

  /// The rows, taken out of their table, and how they have ended.
  private func removal(of ended: [EndedAttempt], _ table: QueuedEvent.Place.Table, _ isChecked: Bool) -> SQL {
    switch table {
    case .events:
      """
      SELECT \(Self.settled)
      FROM (SELECT (event).* FROM \(removed(ended, isChecked))) AS e JOIN f ON f.partition = e.partition AND f.id = e.id
      """
    case .retries:
      """
      DELETE FROM runner.retries AS e USING f WHERE e.partition = f.partition AND e.id = f.id AND e.at <= f.written
      RETURNING \(Self.settled)
      """
    }
  }

  private func removed(_ ended: [EndedAttempt], _ isChecked: Bool) -> SQL {
    let ended = ended.sorted { ($0.place.partition, $0.place.id) < ($1.place.partition, $1.place.id) }
    let ranges = IDRange.covering(ended.map(\.place))
    let written: SQL = isChecked ? "\(ended.map(\.writtenAt))::timestamptz[], " : ""
    return """
      runner.remove(\(ranges.map(\.partition))::smallint[], \(ranges.map(\.low))::bigint[], \(ranges.map(\.high))::bigint[], \
      \(ranges.map(\.position))::integer[], \(written)\(ended.map(\.microseconds))::bigint[])
      """
  }

  private static let settled = SQL(
    unescaped: (CaptureSQL.eventColumns.map { "e.\($0)" } + [
      "f.attempts", "f.next", "f.crashes", "f.progress", "f.counted_from", "f.delay", "f.code", "f.exit_status",
      "f.duration_us", "f.error",
    ]).joined(separator: ", "))

  private static let postponement: SQL = """
    UPDATE runner.retries AS e SET attempt = f.next, crashes = f.crashes, progress = f.progress,
      counted_from = f.counted_from,
      run_at = runner.now() + f.delay * interval '1 second', noted_at = runner.now(), code = f.code, error = f.error
    FROM f WHERE e.partition = f.partition AND e.id = f.id AND e.at <= f.written
    RETURNING \(settled)
    """

  private static let retry: SQL = """
    , moved AS (
      INSERT INTO runner.retries (\(CaptureSQL.columns), attempt, crashes, progress, counted_from,
        run_at, code, error)
      SELECT \(CaptureSQL.columns), next, crashes, progress, counted_from,
        runner.now() + delay * interval '1 second', code, error
      FROM gone
    )
    """

  private static let burial: SQL = """
    , moved AS (
      INSERT INTO runner.dead_letters (\(CaptureSQL.columns), attempts, crashes, code, error)
      SELECT \(CaptureSQL.columns), attempts + 1, crashes, code, error FROM gone
    )
    """

  /// Keeps the whole events, where that is wanted.
  private func kept(from source: SQL) -> SQL {
    guard history.keepsPayloads else { return "" }
    return """
      , kept AS (
        INSERT INTO runner.payloads (\(CaptureSQL.columns))
        SELECT \(CaptureSQL.columns) FROM \(source)
      )
      """
  }

  private static let historyColumns = """
    ended_at, partition, id, event_id, function, key, kind, at, attempt, code, exit_status, duration_us, error
    """
}

extension EndedAttempt {
  fileprivate var isPlainSuccess: Bool { isDone && place.table == .events }

  fileprivate var delay: Double {
    if case .retry(let delay) = settlement { delay } else { 0 }
  }
}

/// Ids of one partition that follow each other without a gap.
struct IDRange: Equatable {
  var partition: Int
  var low: Int64
  var high: Int64
  /// Where its first id stands among all, from 1.
  var position: Int

  /// The fewest ranges that hold these places, and no other; the places are in their order.
  static func covering(_ places: [QueuedEvent.Place]) -> [IDRange] {
    var ranges: [IDRange] = []
    for (index, place) in places.enumerated() {
      if let last = ranges.last, last.partition == place.partition, last.high + 1 == place.id {
        ranges[ranges.count - 1].high = place.id
      } else {
        ranges.append(IDRange(partition: place.partition, low: place.id, high: place.id, position: index + 1))
      }
    }
    return ranges
  }
}
