import FoundationEssentials
import Postgres
import World

extension Simulation {
  /// Everything that broke a rule.
  func judge() async throws -> [String] {
    let decisions = try await database.query(
      """
      SELECT d.event_id, d.user_id, d.subject_id, d.kind, d.decision, d.reason, d.notification_id,
        (SELECT count(*) FROM deliveries s WHERE s.notification_id = d.notification_id) AS deliveries
      FROM decisions d
      """)
    var rechecks: [UUID: [Rules.Recheck]] = [:]
    for row in try await database.query("SELECT * FROM notification_rechecks ORDER BY created_at") {
      rechecks[try row.decode("notification_id"), default: []]
        .append(Rules.Recheck(verdict: try row.decode("decision"), reason: row["reason"]))
    }
    let rules = Rules(
      pushes: sent, handed: handed,
      decisions: try decisions.map { row in
        Rules.WrittenDecision(
          event: try row.decode("event_id"), user: try row.decode("user_id"), subject: try row.decode("subject_id"),
          kind: try row.decode("kind"), verdict: try row.decode("decision"), reason: row["reason"],
          notification: try row.optional("notification_id"), deliveries: try row.decode("deliveries"))
      }, rechecks: rechecks,
      deliveries: try await database.query("SELECT state FROM deliveries").decode("state"))
    let left = try await waiting()
    return violations + rules.broken + (left > 0 ? ["settled in the end: \(left) are left"] : [])
      + (try await finalBadges()) + (try await wrongSummaries()) + (try await wrongDevices())
  }

  /// A summary that went out counts what it told of, perhaps without what has been settled since: more than three entries of one person, each without a push of its own.
  private func wrongSummaries() async throws -> [String] {
    try await database.query(
      """
      SELECT 'summary: ' || s.title || ' of ' || count(n.id) AS wrong
      FROM notifications s LEFT JOIN notifications n ON n.summary_id = s.id AND n.user_id = s.user_id AND n.app = s.app
        AND EXISTS (
          SELECT FROM notification_rechecks r
          WHERE r.notification_id = n.id AND r.decision = 'summarize' AND r.created_at = s.created_at)
        AND NOT EXISTS (
          SELECT FROM notification_rechecks r
          WHERE r.notification_id = n.id AND r.decision = 'suppress' AND r.created_at > s.created_at)
        AND NOT EXISTS (SELECT FROM deliveries d WHERE d.notification_id = n.id)
        AND n.importance IN ('passive', 'normal')
      WHERE s.type = 'quiet_summary' AND EXISTS (
        SELECT FROM deliveries d WHERE d.notification_id = s.id AND d.state = 'accepted')
      GROUP BY s.id
      HAVING count(n.id) <= 3 AND NOT EXISTS (
        SELECT FROM notification_rechecks r JOIN notifications n ON n.id = r.notification_id AND n.summary_id = s.id
        WHERE r.decision = 'suppress' AND r.created_at > s.created_at)
        OR s.data ? 'count' AND (s.data ->> 'count')::int
          NOT BETWEEN count(n.id) FILTER (WHERE n.is_archived IS NOT TRUE) AND count(n.id)
      """
    ).decode("wrong")
  }

  private func finalBadges() async throws -> [String] {
    var wrong: [String] = []
    for person in world.people {
      for app in World.apps {
        let badge: Int = try await database.query(
          "SELECT push_badge(\(person.id)::uuid, \(app), \(clock)) AS badge"
        ).only().decode("badge")
        let count = try await countBadge(of: person.id, app)
        if badge != count { wrong.append("badge: \(person.name)'s of \(app) ends at \(badge) instead of \(count)") }
      }
    }
    return wrong
  }
}
