import FoundationEssentials
import Notifications
import Postgres

extension DeliveryBatch {
  /// Reads the answer to `SQL.claim`.
  init(lease: UUID, _ rows: Rows) throws(PostgresError) {
    self.init(lease: lease, pushes: [])
    if let row = rows.first {
      expired = try row.decode("expired")
      undeliverable = try row.decode("rejected")
      held = try row.decode("held")
      unknown = try row.decode("unknown")
      unserved = try row.decode("unserved")
    }
    pushes.reserveCapacity(rows.count)
    for row in rows {
      guard let id = try row.optional("id", as: UUID.self) else { continue }
      pushes.append(try QueuedPush(id: id, row))
    }
  }
}

extension QueuedPush {
  fileprivate init(id: UUID, _ row: Row) throws(PostgresError) {
    self.init(
      id: id, device: try Device(row), payload: try row.decode("payload"), badge: try row.optional("badge"),
      pushType: try row.decode("push_type"), priority: try row.decode("priority"),
      collapseID: try row.decode("collapse_id"), expiresAt: try row.decode("expires_at"),
      attempts: try row.decode("attempts"), probe: row["probe"].flatMap(PushEnvironment.init),
      traceparent: row["traceparent"])
  }
}

extension QueuedPush.Device {
  fileprivate init(_ row: Row) throws(PostgresError) {
    self.init(
      id: try row.decode("device_id"), person: try row.decode("user_id"),
      provider: PushProvider(rawValue: try row.decode("provider")) ?? .apns,
      app: try row.decode("app"), token: try row.decode("token"),
      environment: row["environment"].flatMap(PushEnvironment.init), topic: row["bundle_id"],
      registeredAt: try row.decode("registered_at"), lastAcceptedAt: try row.optional("last_accepted_at"),
      throttles: try row.decode("throttles"), acceptances: try row.decode("acceptances"))
  }
}
