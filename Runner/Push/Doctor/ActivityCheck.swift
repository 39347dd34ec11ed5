import CLI
import Postgres

/// Checks whether APNs takes the pushes that start Live Activities.
enum ActivityCheck {
  /// A warning for each app whose tokens APNs has all refused.
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
    return try await refusals + channels(in: database)
  }

  /// A warning if APNs may have channels that nobody uses, because the answers to their creation were lost.
  private static func channels(in database: Connection) async throws(PostgresError) -> [Finding] {
    if let problem = try await TableRights.problem("activity_channels", ["SELECT"], database) {
      return [.warning("activities", problem)]
    }
    let lost: Int = try await database.query(
      "SELECT count(*) AS lost FROM activity_channels WHERE state = 'refused' AND reason = 'answer lost'"
    ).only().decode("lost")
    guard lost > 0 else { return [] }
    return [
      .warning(
        "activities",
        "APNs gave no answer about \(lost) broadcast channel\(lost == 1 ? "" : "s"): it may have made what nobody uses")
    ]
  }
}
