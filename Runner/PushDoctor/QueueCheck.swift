import FoundationEssentials
import FunctionKit
import Notifications
import Postgres

/// What waits to be sent, and what a provider refused for reasons that a person must mend.
struct QueueCheck {
  private let database: Connection

  init(_ database: Connection) {
    self.database = database
  }

  func findings() async throws(PostgresError) -> [Finding] {
    let rows = try await database.query(
      """
      SELECT provider, app, reason, count(*) AS waiting, min(not_before) AS due FROM deliveries
      WHERE state = 'queued' GROUP BY 1, 2, 3 ORDER BY 4 DESC
      """)
    var total = 0
    var findings: [Finding] = []
    for row in rows {
      let waiting: Int = try row.decode("waiting")
      total += waiting
      guard let reason = row["reason"], Self.needsAPerson(reason) else { continue }
      let (app, provider) = (row["app"] ?? "", row["provider"] ?? "")
      let due = RFC3339.string(try row.decode("due"))
      findings.append(
        .warning("held", "\(waiting) of \(app) are held by \(provider) for \(reason); tried again at \(due)"))
    }
    return [.ok("queue", "\(total) deliveries wait")] + findings
  }

  private static func needsAPerson(_ reason: String) -> Bool {
    let verdict = PushVerdict(PushAnswer(status: 400, reason: reason)).final
    if [.holdApp, .holdTeam].contains(verdict) { return true }
    return [FCMErrorCode.thirdPartyAuthError.rawValue, FCMErrorCode.unauthenticated.rawValue, "PERMISSION_DENIED"]
      .contains(reason)
  }
}
