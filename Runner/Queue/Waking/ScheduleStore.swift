package import Cron
package import FoundationEssentials
package import FunctionKit
package import Manifest
package import Postgres
package import TimeZones

/// The statements of schedules.
struct ScheduleStore: Sendable {
  let database: Connection
  let bundle: String

  /// The state of a schedule in the database; times are in seconds since 1970.
  struct ScheduleState: Sendable {
    /// Nothing up to here is made up: the last occurrence, or when it was made, changed or resumed if that was later.
    var base: Int64
    /// The last occurrence.
    var last: Int64?
    /// When it is due next, as other commands see it.
    var next: Int64?
    var isPaused: Bool
  }

  /// Makes the schedules known and forgets the functions' others; a changed one begins again from now.
  ///
  /// Schedules of other functions stay: another version of the bundle, or another runner, may have them.
  func register(_ entries: [ScheduleEntry], of functions: [String]) async throws(PostgresError) {
    let insertion: SQL = .insert(
      into: "runner.schedules AS s",
      each: [
        "name": "\(entries.map(\.name))::text[]", "function": "\(entries.map(\.function))::text[]",
        "expression": "\(entries.map(\.trigger.expression.text))::text[]",
        "timezone": "\(entries.map(\.trigger.timezone))::text[]",
        "overlap": "\(entries.map(\.trigger.overlap.rawValue))::text[]",
        "catchup": "\(entries.map(\.trigger.catchUp.rawValue))::text[]",
      ], all: ["since": "runner.now()", "bundle": "\(bundle)"])
    _ = try await database.pipeline([
      """
      \(insertion)
      ON CONFLICT (name) DO UPDATE SET function = excluded.function, expression = excluded.expression,
        timezone = excluded.timezone, bundle = excluded.bundle, overlap = excluded.overlap, catchup = excluded.catchup,
        since = CASE WHEN (s.expression, s.timezone) = (excluded.expression, excluded.timezone)
          THEN s.since ELSE excluded.since END,
        last_scheduled_time = CASE WHEN (s.expression, s.timezone) = (excluded.expression, excluded.timezone)
          THEN s.last_scheduled_time END
      """,
      """
      DELETE FROM runner.schedules
      WHERE function = ANY (\(functions)::text[]) AND name <> ALL (\(entries.map(\.name))::text[])
      """,
    ])
  }

  /// The schedules of the database, and the time there, in seconds since 1970.
  ///
  /// A schedule that a clock made which was ahead counts from its next occurrence after now. ``ScheduleState/next`` is
  /// that occurrence from the second look on.
  func states(
    of entries: [ScheduleEntry]
  ) async throws(PostgresError) -> (now: Double, states: [String: ScheduleState]) {
    let rows = try await database.query(
      """
      SELECT extract(epoch FROM c.now)::float8 AS now, s.name, s.paused_at IS NOT NULL AS paused,
        floor(extract(epoch FROM greatest(f.last, CASE WHEN s.since <= c.now + interval '1 minute' THEN s.since
          ELSE least(c.now, s.next_at - interval '1 second') END)))::bigint AS base,
        extract(epoch FROM f.last)::bigint AS last, extract(epoch FROM s.next_at)::bigint AS next
      FROM (SELECT runner.now() AS now OFFSET 0) AS c
      LEFT JOIN runner.schedules AS s ON s.name = ANY (\(entries.map(\.name))::text[])
      LEFT JOIN LATERAL (
        -- What a clock has fired that was ahead has been fired when its time comes.
        SELECT greatest(s.last_scheduled_time, max(f.scheduled_time)) AS last FROM runner.schedule_fires AS f
        WHERE f.schedule = s.name AND NOT f.manual AND f.scheduled_time BETWEEN s.since AND c.now
      ) AS f ON true
      """)
    var states: [String: ScheduleState] = [:]
    for row in rows {
      guard let name = row["name"] else { continue }
      states[name] = ScheduleState(
        base: try row.decode("base"), last: try row.optional("last"), next: try row.optional("next"),
        isPaused: try row.decode("paused"))
    }
    return (try rows[0].decode("now"), states)
  }

  /// Goes back to the last occurrence before now where the clock was ahead and has been set right; says for which.
  ///
  /// No occurrence fires twice for that: each is a row of its own. Times up to a minute ahead are left to pass. If it is
  /// now that the clock is wrong, later occurrences count again once it is right.
  func correct(_ names: [String]) async throws(PostgresError) -> [String] {
    try await database.query(
      """
      UPDATE runner.schedules AS s SET last_scheduled_time = (
          SELECT max(f.scheduled_time) FROM runner.schedule_fires AS f
          WHERE f.schedule = s.name AND NOT f.manual AND f.scheduled_time <= runner.now())
      WHERE s.name = ANY (\(names)::text[]) AND s.last_scheduled_time > runner.now() + interval '1 minute'
      RETURNING s.name
      """
    ).decode("name")
  }

  /// Puts an occurrence in line, or leaves it out as the schedule's overlap policy says; `false` when it was not for
  /// this runner to do.
  func fire(_ entry: ScheduleEntry, _ id: String, _ tick: ScheduleTick, next: Date?) async throws -> Bool {
    let data = String(decoding: try JSONCoding.encode(tick).bytes, as: UTF8.self)
    let result = try await database.query(
      """
      SELECT runner.fire(\(entry.name), \(tick.scheduledTime), \(id), \(EventType.schedule), \(data)::jsonb,
        \(next as Date?)) AS result
      """)
    return try result.only().decode("result", as: String.self) != "void"
  }

  /// Writes down when schedules are due next, for those who look from outside.
  func store(next: [String: Int64?]) async throws(PostgresError) {
    guard !next.isEmpty else { return }
    let rows: SQL = .rows("n", ["name": "\(Array(next.keys))::text[]", "at": "\(Array(next.values))::bigint[]"])
    _ = try await database.query(
      "UPDATE runner.schedules AS s SET next_at = to_timestamp(n.at) FROM \(rows) WHERE s.name = n.name")
  }
}

extension ScheduleEntry {
  /// Queues an occurrence at once, beside those of the schedule.
  package func fireByHand(_ id: String, _ tick: ScheduleTick, in database: Connection) async throws {
    let data = String(decoding: try JSONCoding.encode(tick).bytes, as: UTF8.self)
    let key = trigger.overlap == .allow ? nil : name
    _ = try await database.query(
      """
      WITH fire AS (
        INSERT INTO runner.schedule_fires (schedule, scheduled_time, event_id, manual)
        VALUES (\(name), \(tick.scheduledTime), \(id), true) RETURNING 1
      )
      SELECT runner.enqueue(\(function), \(key as String?), \(id), \(source), \(EventType.schedule),
        \(data)::jsonb) FROM fire
      """)
  }
}

/// One schedule of one function.
package struct ScheduleEntry: Sendable {
  /// The function's name; numbered from the second schedule of a function on the first, too: `report-1`, `report-2`.
  package var name: String
  package var function: String
  package var trigger: ScheduleTrigger
  package var schedule: CronSchedule

  /// The CloudEvents source of its events.
  package var source: String { "/schedules/\(name)" }

  /// The id of an occurrence's event.
  package func eventID(of time: Date) -> String { "\(name)@\(RFC3339.string(time))" }

  /// An occurrence as its function is told of it.
  /// - Parameter last: the one before, in seconds since 1970.
  package func tick(_ occurrence: CatchUp.Occurrence, firedAt: Date, last: Int64?) -> ScheduleTick {
    ScheduleTick(
      schedule: trigger.expression.text, timezone: trigger.timezone, scheduledTime: .seconds(occurrence.scheduledTime),
      firedAt: firedAt, lastScheduledTime: last.map(Date.seconds),
      nextScheduledTimes: schedule.occurrences(after: occurrence.scheduledTime, limit: 5).map(Date.seconds),
      isPastDue: occurrence.isPastDue, missedCount: occurrence.missedCount)
  }
}

extension Manifest {
  /// All schedules in the file's order.
  ///
  /// - Throws: when a zone that was there when the file was read no longer is.
  package func schedules() throws(UnknownTimeZone) -> [ScheduleEntry] {
    var entries: [ScheduleEntry] = []
    for function in functions {
      let triggers = function.triggers.compactMap { trigger in
        if case .schedule(let schedule) = trigger { schedule } else { nil }
      }
      for (index, trigger) in triggers.enumerated() {
        let zone = try TimeZoneRules(identifier: trigger.timezone)
        entries.append(
          ScheduleEntry(
            name: triggers.count == 1 ? function.name : "\(function.name)-\(index + 1)", function: function.name,
            trigger: trigger, schedule: CronSchedule(expression: trigger.expression, zone: zone)))
      }
    }
    return entries
  }
}
