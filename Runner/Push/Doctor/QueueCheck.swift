import CLI
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive

/// Checks what waits, what of it is overdue, which deliveries a provider refused until a person corrects something, and
/// which ones were given up because their answers could not be recorded.
struct QueueCheck {
  private let database: Connection

  init(_ database: Connection) {
    self.database = database
  }

  /// - Parameters:
  ///   - faults: what is wrong with the configuration, as the report has said already.
  ///   - now: the time by the clock that what waits follows.
  func findings(besides faults: [String], at now: Date) async throws(PostgresError) -> [Finding] {
    // Where a delivery has an outage, that names the reason.
    let rows = try await database.query(
      """
      SELECT provider, app, CASE WHEN outage IS NULL THEN reason END AS reason, count(*) AS waiting,
        min(not_before) AS due
      FROM deliveries WHERE state = 'queued' GROUP BY 1, 2, 3 ORDER BY 4 DESC
      """)
    var total = 0
    var findings: [Finding] = []
    for row in rows {
      let waiting: Int = try row.decode("waiting")
      total += waiting
      guard let reason = row["reason"], Self.needsAPerson(reason) else { continue }
      let (app, provider) = (row["app"] ?? "", row["provider"] ?? "")
      let due = RFC3339.string(try row.decode("due"))
      let advice =
        switch reason {
        case APNsReason.deviceTokenNotForTopic.rawValue:
          ": the bundle id that the configuration gives its devices is another app's"
        case FCMErrorCode.senderIDMismatch.rawValue: ": the service account is another project's"
        default: ""
        }
      findings.append(
        .warning("held", "\(waiting) of \(app) are held by \(provider) for \(reason)\(advice); tried again at \(due)"))
    }
    return [.ok("queue", "\(total) deliveries wait")] + findings + (try await outages(besides: faults))
      + (try await unsettled()) + (try await overdue(at: now)) + (try await putAside())
  }

  /// The pushes that could not be sent, because the provider or the way there is away, or is not configured.
  private func outages(besides faults: [String]) async throws(PostgresError) -> [Finding] {
    if let problem = try await TableRights.problem("push_outages", ["SELECT"], database) {
      return [.warning("outage", "\(problem); until then nothing shows which pushes wait")]
    }
    let rows = try await database.query("SELECT outage, line FROM push_outages")
    return try rows.map { row throws(PostgresError) -> Finding in
      let (outage, line): (String, String) = (try row.decode("outage"), try row.decode("line"))
      guard faults.contains(outage), line.hasSuffix(outage) else { return .warning("outage", line) }
      return .warning("outage", "\(line.dropLast(outage.count))the configuration is wrong, see above")
    }
  }

  /// Pushes and held notifications that are overdue by more than a minute, without an outage that explains it.
  private func overdue(at now: Date) async throws(PostgresError) -> [Finding] {
    let limit = now.addingTimeInterval(-60)
    let hasNotes: Bool = try await database.query(.mayReadProviders).only().decode("may")
    let isServed: SQL = hasNotes ? "provider NOT IN (SELECT provider FROM (\(SQL.unservedProviders)) AS u)" : "true"
    let rows = try await database.query(
      """
      SELECT 'deliveries' AS what, count(*) AS number, min(not_before) AS since FROM deliveries
      WHERE state = 'queued' AND not_before < \(limit) AND reason IS NULL AND outage IS NULL AND \(isServed)
        AND (lease_until IS NULL OR lease_until < \(limit))
      UNION ALL
      SELECT 'people for whom something is held', count(*), min(release_at) FROM held_people
      WHERE release_at < \(limit)
      """)
    return try rows.map { row throws(PostgresError) -> Finding? in
      guard let since: Date = try row.optional("since") else { return nil }
      let (number, what): (Int, String) = (try row.decode("number"), try row.decode("what"))
      return .warning(
        "overdue",
        "\(what): \(number) overdue, the first since \(RFC3339.string(since)); see runner status and the log"
      )
    }.compactMap(\.self)
  }

  /// The people whose release has failed.
  private func putAside() async throws(PostgresError) -> [Finding] {
    let rows = try await database.query(
      """
      SELECT user_id::text AS person, app, failures, failure, release_at FROM held_people
      WHERE failures > 0 ORDER BY failures DESC, user_id LIMIT 10
      """)
    return try rows.map { row throws(PostgresError) in
      let (person, app): (String, String) = (try row.decode("person"), try row.decode("app"))
      let (failures, next): (Int, Date) = (try row.decode("failures"), try row.decode("release_at"))
      return .warning(
        "held",
        "what \(app) holds for \(person) could not be released, \(failures) times in a row: \(row["failure"] ?? ""); tried again at \(RFC3339.string(next))"
      )
    }
  }

  /// Deliveries of the last day whose answers push-delivery could not record.
  private func unsettled() async throws(PostgresError) -> [Finding] {
    let counts = try await database.query(
      """
      SELECT count(*) FILTER (WHERE state = 'unknown' AND reason = 'Unsettled') AS given_up,
        count(*) FILTER (WHERE state = 'queued' AND refusals > 0) AS refused
      FROM deliveries
      WHERE state = 'queued' OR state <> 'queued' AND updated_at > now() - interval '1 day'
      """
    ).only()
    let (givenUp, refused): (Int, Int) = (try counts.decode("given_up"), try counts.decode("refused"))
    let reason = "no answer could be written down: see push-delivery's errors in the log"
    return
      (givenUp > 0 ? [.warning("queue", "\(givenUp) deliveries were given up in the last day, because \(reason)")] : [])
      + (refused > 0
        ? [.warning("queue", "\(refused) deliveries that were sent will be sent again, because \(reason)")] : [])
  }

  private static func needsAPerson(_ reason: String) -> Bool {
    let verdict = PushVerdict(PushAnswer(status: 400, reason: reason)).final
    if [.holdApp, .holdTeam].contains(verdict) { return true }
    return [
      FCMErrorCode.thirdPartyAuthError.rawValue, FCMErrorCode.unauthenticated.rawValue, "PERMISSION_DENIED",
      "NoKeyForTopic", "NoTopicForApp", APNsReason.deviceTokenNotForTopic.rawValue,
      FCMErrorCode.senderIDMismatch.rawValue,
    ].contains(reason)
  }
}
