import Documents
import FoundationEssentials
import Postgres

extension Transaction {
  /// What becomes of notifications while they stay unread; nothing of those whose kinds have no function for it.
  func unread(_ notifications: [UUID]) async throws -> [UUID: UnreadReport] {
    let rows = try await query(
      """
      SELECT c.notification_id, c.function, c.reason, coalesce(c.check_at, c.decided_at) AS at,
        CASE WHEN c.check_at IS NOT NULL THEN 'waiting' WHEN c.reason IS NULL THEN 'given' ELSE 'ended' END AS state
      FROM unread_checks c WHERE c.notification_id = ANY (\(notifications))
      """)
    var reports: [UUID: UnreadReport] = [:]
    for row in rows {
      reports[try row.decode("notification_id")] = UnreadReport(
        function: row["function"] ?? "", state: try row.decode("state"), reason: row["reason"],
        at: try row.decode("at"))
    }
    return reports
  }
}

extension UnreadReport.State: PostgresDecodable {}
