import FoundationEssentials
import FunctionKit
import Postgres
import TimeZones

/// Puts schedule occurrences in line when they are due.
///
/// Each is one row in the database: however many runners there are and however often they restart, it fires once.
@RunnerLoop
final class ScheduleService {
  /// One schedule of one function.
  struct Entry {
    var name: String
    var function: String
    var trigger: ScheduleTrigger
    var schedule: CronSchedule
    /// The last occurrence that was fired, else when the schedule became known, in seconds since 1970.
    var last: Int64 = 0
  }

  private let database: Connection
  private let log: Log
  private var entries: [Entry]

  init(_ manifest: Manifest, database: Connection, log: Log) throws(UnknownTimeZone) {
    self.database = database
    self.log = log
    entries = []
    for function in manifest.functions {
      var count = 0
      for case .schedule(let trigger) in function.triggers {
        count += 1
        let zone = try TimeZoneRules(identifier: trigger.timezone)
        entries.append(
          Entry(
            name: count == 1 ? function.name : "\(function.name)-\(count)", function: function.name, trigger: trigger,
            schedule: CronSchedule(expression: trigger.expression, zone: zone)))
      }
    }
  }

  /// Works until the task is cancelled.
  func run() async {
    guard !entries.isEmpty else { return }
    while !Task.isCancelled {
      do {
        for index in entries.indices { entries[index].last = try await register(entries[index]) }
        while !Task.isCancelled { try await Task.sleep(for: fireDue()) }
      } catch is CancellationError {
        return
      } catch {
        log.warning("Schedules wait for the database", ["error.cause": "\(error)"])
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// Makes the schedule known; a changed expression begins anew from now.
  private func register(_ entry: Entry) async throws -> Int64 {
    let row = try await database.query(
      """
      INSERT INTO runner.schedules AS s (name, expression, timezone, since)
      VALUES (\(entry.name), \(entry.trigger.expression.text), \(entry.trigger.timezone), runner.now())
      ON CONFLICT (name) DO UPDATE SET expression = excluded.expression, timezone = excluded.timezone,
        since = CASE WHEN (s.expression, s.timezone) = (excluded.expression, excluded.timezone)
          THEN s.since ELSE excluded.since END,
        last_scheduled_time = CASE WHEN (s.expression, s.timezone) = (excluded.expression, excluded.timezone)
          THEN s.last_scheduled_time END
      RETURNING floor(extract(epoch FROM coalesce(last_scheduled_time, since)))::bigint AS base
      """
    ).only()
    return try row.decode("base")
  }

  /// Fires what is due and says how long nothing will be.
  private func fireDue() async throws -> Duration {
    let time = try await database.query("SELECT extract(epoch FROM runner.now())::float8 AS now").only()
    let now: Double = try time.decode("now")
    for index in entries.indices {
      let plan = CatchUp(policy: entries[index].trigger.catchUp)
        .plan(entries[index].schedule, lastFire: entries[index].last, now: Int64(now))
      for occurrence in plan.occurrences {
        try await fire(occurrence, of: entries[index], now: now)
        entries[index].last = occurrence.scheduledTime
      }
    }
    let next = entries.compactMap { $0.schedule.next(after: max($0.last, Int64(now))) }.min()
    return .seconds(min(60, max(0.001, Double(next ?? .max) - now)))
  }

  private func fire(_ occurrence: CatchUp.Occurrence, of entry: Entry, now: Double) async throws {
    let time = Date(timeIntervalSince1970: Double(occurrence.scheduledTime))
    let following = entry.schedule.occurrences(after: occurrence.scheduledTime, limit: 5)
    let tick = ScheduleTick(
      schedule: entry.trigger.expression.text, timezone: entry.trigger.timezone, scheduledTime: time,
      firedAt: Date(timeIntervalSince1970: now),
      lastScheduledTime: entry.last > 0 ? Date(timeIntervalSince1970: Double(entry.last)) : nil,
      nextScheduledTimes: following.map { Date(timeIntervalSince1970: Double($0)) },
      isPastDue: occurrence.isPastDue, missedCount: occurrence.missedCount)
    let data = String(decoding: try JSONCoding.encode(tick).bytes, as: UTF8.self)
    let id = "\(entry.name)@\(RFC3339.string(time))"
    _ = try await database.query(
      """
      WITH fire AS (
        INSERT INTO runner.schedule_fires (schedule, scheduled_time) VALUES (\(entry.name), \(time))
        ON CONFLICT DO NOTHING RETURNING 1
      ), mark AS (
        UPDATE runner.schedules SET last_scheduled_time = greatest(last_scheduled_time, \(time))
        WHERE name = \(entry.name)
      ), prune AS (
        DELETE FROM runner.schedule_fires
        WHERE schedule = \(entry.name) AND scheduled_time < \(time)::timestamptz - interval '7 days'
      )
      SELECT runner.enqueue(\(entry.function), \(entry.name), \(id), \("/schedules/\(entry.name)"), \(EventType.schedule),
        \(data)::jsonb)
      FROM fire
      """)
  }
}
