import CLI
import Capture
import Cron
import FoundationEssentials
import FunctionKit
import Manifest
import Postgres
import Queue

/// Moves the clock from one due instant to the next, and waits each time until the runners have done what was due.
struct ClockDriver {
  /// Longer than a function may run, which is a quarter of an hour.
  private static let timeLimit = Duration.seconds(1_000)

  private let database: Connection
  private let listening: Connection
  private let name = RandomID.make()
  private var asked = 0
  /// How much each runner had done in all when it last said that it was idle.
  private var done: [Int: Int] = [:]
  /// Everything due until then has been done, or cannot be: its function is paused or missing.
  private(set) var settled = Date.distantPast
  /// How many ticks of each schedule are rehearsed at once; it grows while there is nothing to do.
  private var stride = Self.leastStride

  /// - Parameter listening: a second connection, which listens for the runners' answers.
  init(database: Connection, listening: Connection) {
    (self.database, self.listening) = (database, listening)
  }

  /// Waits until everything that is due now has been done.
  mutating func begin() async throws {
    guard try await ListeningRunners.isAny(on: database) else { throw Self.unserved }
    try await listening.listen("runner_answers")
    let partitions: SQL = """
      SELECT count(*) AS free FROM runner.leases
      WHERE (owner IS NULL OR expires_at < clock_timestamp()) AND (grp IN (SELECT grp FROM runner.runners)
        OR NOT EXISTS (SELECT FROM runner.runners))
      """
    let deadline = ContinuousClock.now + .seconds(30)
    while try await database.query(partitions).only().decode("free", as: Int.self) > 0 {
      guard ContinuousClock.now < deadline else {
        throw FunctionError(.unavailable, "The runner does not take over the whole queue; see its log.")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    try await settle(try await ask())
  }

  /// Moves the clock to what is due next, but not beyond `end`, and waits until it is done; `false` if nothing was due
  /// and `end` is reached.
  mutating func step(to end: Date) async throws -> Bool {
    let question = nextQuestion()
    let row = try await database.query(
      """
      WITH due AS (
        SELECT min(at) AS at FROM (
          SELECT min(next_at) AS at FROM runner.schedules WHERE paused_at IS NULL AND next_at > \(settled)
          UNION ALL SELECT min(run_at) FROM runner.retries WHERE run_at > \(settled)
          UNION ALL SELECT min(at) FROM runner.wakeups WHERE at > \(settled)
        ) AS d
      ), moved AS (
        UPDATE runner.clock SET "offset" = greatest("offset",
          make_interval(secs => extract(epoch FROM least(due.at, \(end)) - clock_timestamp())::float8))
        FROM due RETURNING clock_timestamp() + "offset" AS now, due.at <= \(end) AS is_due
      )
      SELECT moved.now, coalesce(moved.is_due, false) AS is_due, s.holders,
        \(ControlWord.clock.notify), \(ControlWord.idle(question).notify)
      FROM moved, (\(ListeningRunners.holders)) AS s
      """
    ).only()
    try await settle(
      Asked(question: question, now: try row.decode("now"), holders: try row.decode("holders", as: [Int].self)))
    return try row.decode("is_due")
  }

  /// Moves the clock to an instant, and prints what happens on the way.
  ///
  /// - Parameter untilIdle: whether it ends earlier where no retry and no wake-up is left.
  mutating func travel(
    to end: Date, untilIdle: Bool = false, by rehearsal: Rehearsal, _ report: inout ClockReport
  ) async throws {
    while true {
      if untilIdle, try await !isAnythingAhead() { break }
      if try await !skip(to: end, by: rehearsal) {
        guard try await step(to: end) else { break }
      }
      try await report.print(at: settled)
    }
    try await report.print(at: settled, isLast: true)
  }

  /// Whether a retry or a wake-up is still to come.
  private func isAnythingAhead() async throws(PostgresError) -> Bool {
    try await database.query(
      """
      SELECT EXISTS (SELECT 1 FROM runner.retries WHERE run_at > \(settled))
        OR EXISTS (SELECT 1 FROM runner.wakeups WHERE at > \(settled)) AS ahead
      """
    ).only().decode("ahead")
  }

  private struct Asked {
    var question: String
    var now: Date
    var holders: [Int]
  }

  private static var unserved: FunctionError {
    FunctionError(.unavailable, "No runner serves this database: start one first, with runner serve.")
  }

  private mutating func nextQuestion() -> String {
    asked += 1
    return "\(name)/\(asked)"
  }

  private mutating func ask(_ question: String? = nil) async throws -> Asked {
    let question = question ?? nextQuestion()
    let row = try await database.query(
      """
      SELECT runner.now() AS now, s.holders, \(ControlWord.idle(question).notify)
      FROM (\(ListeningRunners.holders)) AS s
      """
    ).only()
    return Asked(question: question, now: try row.decode("now"), holders: try row.decode("holders", as: [Int].self))
  }

  /// Asks until every runner is idle and none has done anything since the question before.
  ///
  /// One runner's work may make work for another, and a function's signals come after its result.
  private mutating func settle(_ first: Asked) async throws {
    var asked = first
    var answers = try await self.answers(to: asked)
    while answers != done {
      done = answers
      asked = try await ask()
      answers = try await self.answers(to: asked)
    }
    settled = asked.now
  }

  private mutating func answers(to asked: Asked) async throws -> [Int: Int] {
    var (answers, holders): ([Int: Int], [Int]) = ([:], asked.holders)
    let deadline = ContinuousClock.now + Self.timeLimit
    while true {
      guard !holders.isEmpty else { throw Self.unserved }
      guard holders.contains(where: { answers[$0] == nil }) else { return answers }
      guard ContinuousClock.now < deadline else {
        throw FunctionError(.unavailable, "A function still runs after \(Self.timeLimit.components.seconds) s.")
      }
      let heard = try await listening.notifications(waitingUpTo: .seconds(1))
      for words in heard.map({ $0.payload.split(separator: " ") }) where words.count == 3 && words[0] == asked.question
      {
        if let holder = Int(words[1]) { answers[holder] = Int(words[2]) }
      }
      // A runner may have gone, or the answer was lost with a connection.
      if heard.isEmpty { holders = try await ask(asked.question).holders }
    }
  }
}

// Most ticks of a schedule that fires each minute have nothing to do. Dry runs of hundreds of ticks at once are many
// times faster than running one tick after the other, because a dry run changes nothing for the next tick.
extension ClockDriver {
  private static let leastStride = 8
  private static let longestStride = 512

  /// Moves the clock over ticks that have nothing to do, until something else is due, and records these ticks as done.
  ///
  /// Rows that the application itself writes meanwhile count as written after them.
  /// - Returns: `false` if there are none: the runners have to do what is due next.
  mutating func skip(to end: Date, by rehearsal: Rehearsal) async throws -> Bool {
    guard !rehearsal.entries.isEmpty else { return false }
    let pending = try await pending(of: rehearsal.entries)
    guard !pending.isEmpty else { return false }
    guard let limit = try await limit(end, except: pending.map(\.entry.name)) else { return false }
    let lists = pending.map { $0.ticks(before: limit, stride) }
    // If one list is cut off, the others end there, too.
    let reach = lists.filter { $0.count == stride }.compactMap(\.last?.time).min() ?? .max
    let ticks = lists.joined().filter { $0.time <= reach }.sorted { $0.time < $1.time }
    let quiet = await rehearsal.quiet(ticks)
    stride = quiet.count == ticks.count ? min(Self.longestStride, stride * 2) : Self.leastStride
    guard let through = quiet.last?.time, try await note(quiet, pending) else { return false }
    settled = max(settled, .seconds(through))
    return true
  }

  /// A schedule that the database has as `functions.json` says, and its next occurrences.
  private struct Pending {
    var entry: ScheduleEntry
    var last: Int64?
    var next: Int64

    func ticks(before end: Int64, _ count: Int) -> [Rehearsal.Tick] {
      guard next < end else { return [] }
      let times = [next] + entry.schedule.occurrences(after: next, through: end - 1, limit: count - 1)
      return zip(times, [last] + times.map(Optional.some)).map { Rehearsal.Tick(entry: entry, time: $0, last: $1) }
    }
  }

  private func pending(of entries: [ScheduleEntry]) async throws -> [Pending] {
    let asked: SQL = .rows(
      "e",
      [
        "name": "\(entries.map(\.name))::text[]", "function": "\(entries.map(\.function))::text[]",
        "expression": "\(entries.map(\.trigger.expression.text))::text[]",
        "timezone": "\(entries.map(\.trigger.timezone))::text[]",
      ])
    let rows = try await database.query(
      """
      SELECT s.name, extract(epoch FROM s.last_scheduled_time)::bigint AS last, extract(epoch FROM s.next_at)::bigint AS next
      FROM runner.schedules AS s
      JOIN \(asked) USING (name, function, expression, timezone)
      WHERE s.paused_at IS NULL AND s.next_at > \(settled)
      """)
    var pending: [Pending] = []
    for row in rows {
      let name: String = try row.decode("name")
      guard let entry = entries.first(where: { $0.name == name }) else { continue }
      pending.append(Pending(entry: entry, last: try row.optional("last"), next: try row.decode("next")))
    }
    return pending
  }

  /// Until when only these schedules are due, in seconds since 1970; `nil` while events wait.
  private func limit(_ end: Date, except names: [String]) async throws -> Int64? {
    try await database.query(
      """
      SELECT floor(extract(epoch FROM least(\(end)::timestamptz,
        (SELECT min(next_at) FROM runner.schedules
          WHERE paused_at IS NULL AND next_at > \(settled) AND name <> ALL (\(names)::text[])),
        (SELECT min(run_at) FROM runner.retries WHERE run_at > \(settled)),
        (SELECT min(at) FROM runner.wakeups WHERE at > \(settled)))))::bigint AS limit
      FROM runner.clock WHERE NOT EXISTS (SELECT FROM runner.events)
      """
    ).first?.decode("limit")
  }

  /// Records ticks as done and moves the clock to the last of them; `false` if other work has come up meanwhile.
  private func note(_ ticks: [Rehearsal.Tick], _ pending: [Pending]) async throws -> Bool {
    struct Interference: Error {}
    guard let through = ticks.last?.time else { return false }
    let moved = pending.compactMap { pending -> (name: String, first: Int64, last: Int64, next: Int64?)? in
      guard let last = ticks.last(where: { $0.entry.name == pending.entry.name })?.time else { return nil }
      return (pending.entry.name, pending.next, last, pending.entry.schedule.next(after: last))
    }
    let movedRows: SQL = .rows(
      "m",
      [
        "name": "\(moved.map(\.name))::text[]", "first": "\(moved.map(\.first))::bigint[]",
        "last": "\(moved.map(\.last))::bigint[]", "next": "\(moved.map(\.next))::bigint[]",
      ])
    let tickRows: SQL = .rows(
      "t",
      [
        "schedule": "\(ticks.map(\.entry.name))::text[]", "function": "\(ticks.map(\.entry.function))::text[]",
        "epoch": "\(ticks.map(\.time))::bigint[]", "event_id": "\(ticks.map(\.id))::text[]",
        "microseconds": "\(ticks.map(\.microseconds))::bigint[]",
      ])
    do {
      try await database.transaction { transaction in
        let clear = try await transaction.query(
          """
          UPDATE runner.clock SET "offset" = greatest("offset",
            make_interval(secs => extract(epoch FROM to_timestamp(\(through)) - clock_timestamp())::float8))
          WHERE NOT EXISTS (SELECT FROM runner.events)
            AND NOT EXISTS (SELECT FROM runner.retries WHERE run_at > \(settled) AND run_at <= to_timestamp(\(through)))
            AND NOT EXISTS (SELECT FROM runner.wakeups WHERE at > \(settled) AND at <= to_timestamp(\(through)))
          RETURNING \(ControlWord.clock.notify)
          """)
        let schedules = try await transaction.query(
          """
          UPDATE runner.schedules AS s SET last_scheduled_time = to_timestamp(m.last), next_at = to_timestamp(m.next)
          FROM \(movedRows)
          WHERE s.name = m.name AND s.next_at = to_timestamp(m.first) AND s.paused_at IS NULL
          """)
        guard !clear.isEmpty, schedules.affectedRows == moved.count else { throw Interference() }
        _ = try await transaction.query(
          """
          WITH t AS (
            SELECT t.*, to_timestamp(t.epoch) AS time FROM \(tickRows)
          ), fires AS (
            INSERT INTO runner.schedule_fires (schedule, scheduled_time, event_id, fired_at)
            SELECT schedule, time, event_id, time FROM t ON CONFLICT DO NOTHING
          )
          INSERT INTO runner.history (ended_at, event_id, function, kind, at, attempt, code, exit_status, duration_us)
          SELECT time, event_id, function, 'schedule', time, 0, 'OK', 0, microseconds FROM t ORDER BY time
          """)
      }
    } catch is Interference { return false }
    return true
  }
}

extension ClockDriver {
  /// Sets the clock back, to an instant or to real time.
  ///
  /// - Throws: a sentence with the columns whose times would lie in the future.
  func goBack(to instant: Date?, _ manifest: Manifest) async throws {
    let tables = try await manifest.writtenTables()
    try await database.transaction { transaction in
      let row = try await transaction.query(
        """
        SELECT clock_timestamp() AS real, extract(epoch FROM "offset")::float8 AS offset FROM runner.clock FOR UPDATE
        """
      ).only()
      let (real, offset): (Date, Double) = (try row.decode("real"), try row.decode("offset"))
      let target = instant ?? real
      let span = offset - target.timeIntervalSince(real)
      guard span > 0 || instant == nil else { return }
      let found = span > 0 ? try await ClockStamps(transaction: transaction, tables: tables).later(than: target) : []
      guard found.isEmpty else { throw Self.refusal(found, target) }
      _ = try await transaction.query(
        "UPDATE runner.clock SET \"offset\" = make_interval(secs => \(instant == nil ? 0 : offset - span))")
      _ = try await transaction.query("SELECT \(ControlWord.clock.notify)")
    }
  }

  private static func refusal(_ found: [ClockStamps.Finding], _ target: Date) -> FunctionError {
    let lines = found.map { "  \($0.column): \($0.rows) rows, up to \(TimeText.of($0.latest))" }
    return FunctionError(
      .usage,
      """
      The clock is not set back to \(TimeText.of(target)): rows are stamped later, and would lie in the future.
      \(lines.joined(separator: "\n"))
      Start with a fresh database instead. For the one that the runner itself keeps: 'runner reset', then 'Runner/up'.
      """)
  }
}
