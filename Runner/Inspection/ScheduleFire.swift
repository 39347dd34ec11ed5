package import Documents
import FoundationEssentials
import FunctionKit
package import Postgres

extension ScheduleFire {
  init(_ row: Row) throws(PostgresError) {
    self.init(
      schedule: try row.decode("schedule"), event: try row.decode("event_id"),
      scheduledTime: try row.decode("scheduled_time"), firedAt: try row.decode("fired_at"),
      manual: try row.decode("manual"), skipped: row["skipped"], outcome: row["outcome"],
      attempts: try row.optional("attempts"), milliseconds: try row.optional("milliseconds"))
  }

  /// The outcome with the number of attempts, or why it was left out.
  package var outcomeText: String {
    if let skipped { return "left out (\(skipped))" }
    guard let outcome else { return "" }
    return attempts.map { $0 > 1 ? "\(outcome) (attempt \($0))" : outcome } ?? outcome
  }

  /// The latest occurrences, newest first; of all schedules unless one is named.
  package static func latest(_ count: Int, of schedule: String? = nil, in database: Connection)
    async throws(PostgresError)
    -> [ScheduleFire]
  {
    let rows = try await database.query(select(schedule.map { "schedule = \($0)" } ?? "true", count))
    return try rows.map { row throws(PostgresError) in try ScheduleFire(row) }
  }

  /// The occurrence that made an event.
  package static func of(_ event: String, schedule: String, in database: Connection) async throws(PostgresError)
    -> ScheduleFire
  {
    try ScheduleFire(
      try await database.query(select("schedule = \(schedule) AND event_id = \(event)", 1)).only())
  }

  private static func select(_ condition: SQL, _ count: Int) -> SQL {
    """
    SELECT f.schedule, f.event_id, f.scheduled_time, f.fired_at, f.manual, f.skipped,
      CASE WHEN q.state = 'dead' THEN 'dead: ' || coalesce(q.code, '')
        WHEN q.state = 'retrying' THEN 'retrying: ' || coalesce(q.code, '')
        ELSE coalesce(h.code, q.state) END AS outcome,
      coalesce(q.attempts, h.attempt + 1) AS attempts, h.duration_us::float8 / 1000 AS milliseconds
    FROM (
      SELECT * FROM runner.schedule_fires WHERE \(condition)
      ORDER BY scheduled_time DESC, fired_at DESC LIMIT \(count)
    ) AS f
    LEFT JOIN LATERAL (
      SELECT h.code, h.attempt, h.duration_us FROM runner.history AS h WHERE h.event_id = f.event_id
      ORDER BY h.recorded_at DESC LIMIT 1
    ) AS h ON true
    LEFT JOIN (
      SELECT e.event_id, 'waiting' AS state, NULL::text AS code, NULL::int AS attempts FROM runner.events AS e
      UNION ALL SELECT r.event_id, 'retrying', r.code, r.attempt FROM runner.retries AS r
      UNION ALL SELECT d.event_id, 'dead', d.code, d.attempts FROM runner.dead_letters AS d
    ) AS q ON q.event_id = f.event_id
    ORDER BY f.scheduled_time DESC, f.fired_at DESC
    """
  }
}
