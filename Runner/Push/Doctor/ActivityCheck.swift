import CLI
import FoundationEssentials
import FunctionKit
import Postgres

/// Checks whether Live Activities can be told, and whether APNs takes what starts and tells them.
enum ActivityCheck {
  /// A warning for each app whose tokens APNs has all refused, and those about channels and proposals.
  static func findings(in database: Connection) async throws(PostgresError) -> [Finding] {
    if let problem = try await TableRights.problem("live_activities", ["SELECT"], database) {
      return [.warning("activities", problem)]
    }
    // A provider's reason begins with a capital letter.
    let rows = try await database.query(
      """
      SELECT app, count(*) AS refused, mode() WITHIN GROUP (ORDER BY ended_reason) AS reason FROM live_activities
      WHERE subject_id = '' AND (ended_reason ~ '^[A-Z]' OR last_accepted_at IS NOT NULL)
      GROUP BY app HAVING count(last_accepted_at) = 0 ORDER BY app
      """)
    let refusals = try rows.map { row throws(PostgresError) -> Finding in
      let (app, refused): (String, Int) = (try row.decode("app"), try row.decode("refused"))
      return .warning(
        "activities",
        """
        APNs has refused each token that starts \(app)'s Live Activities, \(refused) in all, mostly for \
        \(row["reason"] ?? ""): are they of the bundle id and the environment that their devices name?
        """)
    }
    return try await refusals + channels(in: database) + unreadable(in: database)
  }

  /// Warnings if APNs may have channels that nobody uses, because the answers to their creation were lost, and if it has
  /// not done for an hour what channels ask for.
  private static func channels(in database: Connection) async throws(PostgresError) -> [Finding] {
    if let problem = try await TableRights.problem("activity_channels", ["SELECT"], database) {
      return [.warning("activities", problem)]
    }
    let row = try await database.query(
      """
      SELECT count(*) FILTER (WHERE c.state = 'refused' AND c.reason = 'answer lost') AS lost,
        count(*) FILTER (WHERE \(isStuck)) AS stuck, min(c.updated_at) FILTER (WHERE \(isStuck)) AS since
      FROM activity_channels c
      """
    ).only()
    let lost: Int = try row.decode("lost")
    var findings: [Finding] = []
    if lost > 0 {
      let channels = "\(lost) broadcast channel\(lost == 1 ? "" : "s")"
      findings.append(
        .warning("activities", "APNs gave no answer about \(channels): it may have made what nobody uses"))
    }
    if let since: Date = try row.optional("since") {
      let stuck: Int = try row.decode("stuck")
      findings.append(
        .warning(
          "activities",
          """
          broadcast channels for which APNs has not done what they ask: \(stuck), the first since \
          \(RFC3339.string(since)); see runner events dead --function activity-channels, and when the cause is gone, \
          runner events retry --function activity-channels
          """))
    }
    return findings
  }

  /// Whether a channel `c` has asked APNs for an hour to say something, or to be deleted.
  private static let isStuck: SQL = """
    (c.state IN ('live', 'ended') AND c.wanted_stamp > c.said_stamp OR c.state = 'closing')
      AND c.updated_at < push_now() - interval '1 hour'
    """

  /// A warning if proposals cannot be read, so that their activities say nothing new.
  private static func unreadable(in database: Connection) async throws(PostgresError) -> [Finding] {
    if let problem = try await TableRights.problem("activity_changes", ["SELECT"], database) {
      return [.warning("activities", problem)]
    }
    let row = try await database.query(
      """
      SELECT count(DISTINCT (app, subject_id)) AS subjects, min(failing_since) AS since,
        (array_agg(subject_id ORDER BY failing_since, id))[1] AS first
      FROM activity_changes WHERE failing_since IS NOT NULL
      """
    ).only()
    guard let since: Date = try row.optional("since") else { return [] }
    let subjects: Int = try row.decode("subjects")
    return [
      .warning(
        "activities",
        """
        proposals whose Live Activities cannot be told: \(subjects), the first \(row["first"] ?? "") since \
        \(RFC3339.string(since)); the log of live-activities says why, and after a day they end
        """)
    ]
  }
}
