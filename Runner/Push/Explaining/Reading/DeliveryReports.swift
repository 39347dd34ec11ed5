import Documents
import FoundationEssentials
import Postgres
import StoreLive

extension SQL {
  /// The first deliveries of notifications, of each one more than are listed.
  static func pushes(of notifications: [UUID]) -> SQL {
    """
    SELECT v.id, v.notification_id, v.user_id, v.state, v.reason, v.not_before, t.id AS device, t.platform, t.provider,
      left(t.token, 8) AS token, coalesce(u.reason, v.outage) AS outage,
      coalesce(v.outage_since, CASE WHEN u.since IS NOT NULL THEN greatest(u.since, v.created_at) END) AS outage_since,
      (SELECT min(i.occurred_at) FROM notification_interactions i
        WHERE i.notification_id = v.notification_id AND i.device_token_id = t.id AND i.event = 'opened') AS opened_at,
      (SELECT min(i.occurred_at) FROM notification_interactions i
        WHERE i.notification_id = v.notification_id AND i.device_token_id = t.id AND i.event = 'acted') AS acted_at
    FROM (SELECT DISTINCT unnest(\(notifications)::uuid[])) AS k (id)
    CROSS JOIN LATERAL (
      SELECT * FROM deliveries v WHERE v.notification_id = k.id
      ORDER BY v.device_token_id LIMIT \(DecisionReport.mostPushes + 1)
    ) v
    JOIN device_tokens t ON t.id = v.device_token_id
    LEFT JOIN (\(SQL.unservedProviders)) u
      ON v.state = 'queued' AND v.not_before <= push_now() AND u.provider = v.provider
    ORDER BY v.notification_id, t.id
    """
  }
}

extension Transaction {
  /// Deliveries by their notifications, from the rows of ``SQL/pushes(of:)``.
  ///
  /// - Parameter hasAttempts: whether they come with every attempt.
  func pushes(_ rows: Rows, hasAttempts: Bool) async throws -> [UUID: [DeliveryReport]] {
    let attempts =
      hasAttempts
      ? try await attempts(of: try rows.decode("id"), to: Array(Set(try rows.decode("user_id", as: UUID.self)))) : [:]
    var reports: [UUID: [DeliveryReport]] = [:]
    for row in rows {
      let report = DeliveryReport(
        device: try DeviceSummary(row), state: row["state"] ?? "", reason: row["reason"], outage: row["outage"],
        outageSince: try row.optional("outage_since"), dueAt: try row.decode("not_before"),
        attempts: attempts[try row.decode("id")] ?? [], openedAt: try row.optional("opened_at"),
        actedAt: try row.optional("acted_at"))
      reports[try row.decode("notification_id"), default: []].append(report)
    }
    return reports
  }

  // The log has an index on people, and none on deliveries.
  private func attempts(of deliveries: [UUID], to people: [UUID]) async throws -> [UUID: [DeliveryReport.Attempt]] {
    let rows = try await query(
      """
      SELECT delivery_id, created_at, status, reason, http_status, duration_ms FROM push_notification_logs
      WHERE user_id = ANY (\(people)) AND delivery_id = ANY (\(deliveries)) ORDER BY created_at, attempt
      """)
    var attempts: [UUID: [DeliveryReport.Attempt]] = [:]
    for row in rows {
      attempts[try row.decode("delivery_id"), default: []].append(
        DeliveryReport.Attempt(
          at: try row.decode("created_at"), status: row["status"] ?? "", reason: row["reason"],
          httpStatus: try row.optional("http_status"), milliseconds: try row.optional("duration_ms")))
    }
    return attempts
  }
}

extension Row {
  /// The provider of a device: all but FCM's are APNs', whatever an app's own column says.
  var provider: Provider { self["provider"].flatMap(Provider.init(rawValue:)) ?? .apns }
}

extension DeviceSummary {
  /// From the columns `device, platform, provider, token`; the last one has only the first 8 characters.
  init(_ row: Row) throws(PostgresError) {
    self.init(
      id: try row.id("device"), platform: row["platform"] ?? "", provider: row.provider,
      token: row["token"] ?? "")
  }
}
