import Cron
import FoundationEssentials
import FunctionKit
import Manifest
import Postgres
import Queue

// Most ticks of a schedule that fires each minute have nothing to do. Dry runs of hundreds of ticks at once are many
// times faster than running one tick after the other, because a dry run changes nothing for the next tick.
extension ClockDriver {
  static let leastStride = 8
  static let longestStride = 512

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
