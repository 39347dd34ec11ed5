import Documents
import FoundationEssentials
import Postgres

extension SQL {
  /// The fates of notifications while they stay unread; nothing of those whose kinds have no function for it.
  static func unread(_ notifications: [UUID]) -> SQL {
    """
    SELECT c.notification_id, c.function, c.reason, coalesce(c.check_at, c.decided_at) AS at,
      CASE WHEN c.check_at IS NOT NULL THEN 'waiting' WHEN c.reason IS NULL OR c.reason = 'no_mailbox' THEN 'given'
        ELSE 'ended' END AS state
    FROM unread_checks c WHERE c.notification_id = ANY (\(notifications))
    """
  }
}

extension UnreadReport {
  /// The reports by their notifications, from the rows of ``SQL/unread(_:)``.
  static func all(_ rows: Rows) throws -> [UUID: UnreadReport] {
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
