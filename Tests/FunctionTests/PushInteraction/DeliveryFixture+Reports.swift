import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import Testing

@testable import PushInteraction

extension DeliveryFixture {
  /// Registers a person's devices and queues the deliveries of one notification to all of them.
  func enqueueOne(to tokens: [String]) async throws {
    _ = try await connection.query(
      """
      WITH person AS (
        INSERT INTO users (email, name) VALUES (gen_random_uuid()::text, 'Ada') RETURNING id
      ), devices AS (
        INSERT INTO device_tokens (user_id, token, platform, registered_at)
        SELECT id, unnest(\(tokens)::text[]), 'iOS', \(now - 3_600) FROM person RETURNING id, user_id
      ), told AS (
        INSERT INTO notifications (user_id, type, title, payload, created_at)
        SELECT id, 'new_vote', 'Hi', '{"aps":{"alert":"Hi"}}', \(now - 60) FROM person RETURNING id, user_id
      )
      INSERT INTO deliveries
        (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
      SELECT t.id, d.id, d.user_id, 'feedbackkit', \(now), \(now + 86_400), \(now), \(now)
      FROM told t JOIN devices d ON d.user_id = t.user_id
      """)
  }

  /// The only notification.
  func notification() async throws -> UUID {
    try await connection.query("SELECT id FROM notifications").only().decode("id")
  }

  /// Lets the app report something about a notification; the only one unless one is named.
  @discardableResult
  func report(
    _ notification: UUID? = nil, event: String, device: String? = nil, action: String? = nil, at: Date? = nil,
    dryRun: Bool = false
  ) async throws -> RawJSON {
    let id = if let notification { notification } else { try await self.notification() }
    let optional = [("deviceId", device), ("action", action), ("at", at.map(RFC3339.string))]
    let members = [("notificationId", RawJSON(id.uuidString)), ("event", RawJSON(event))]
    let body = RawJSON(object: members + optional.compactMap { name, value in value.map { (name, RawJSON($0)) } })
    return try await interact(String(decoding: body.bytes, as: UTF8.self), dryRun: dryRun)
  }

  /// Calls the function with a body, on a connection that nobody else holds.
  func interact(_ body: String, dryRun: Bool = false) async throws -> RawJSON {
    let envelope = try Envelope(RawJSON(validating: Array(body.utf8)[...]))
    let event = Event(envelope: envelope, data: try PushInteraction.payload(envelope.data))
    let store = InteractionStore(connection(of: "push-interaction"))
    return try await PushInteraction(store: store).handle(event, .test(now: now, dryRun: dryRun))
  }

  /// The reports, as `event action device`.
  func interactions() async throws -> [String] {
    try await connection.query("SELECT event, action, device_token_id FROM notification_interactions").map { row in
      "\(row["event"] ?? "") \(row["action"] ?? "") \(row["device_token_id"] ?? "nil")"
    }.sorted()
  }

  /// One number that a query finds.
  func number(_ query: SQL) async throws -> Int {
    try await connection.query("SELECT (\(query))::bigint AS number").only().decode("number")
  }

  /// The place of each row that an interaction may touch: a row that was written again is in another place.
  func rowVersions() async throws -> [String] {
    var versions: [String] = []
    for table in ["notifications", "deliveries", "notification_interactions", "push_notification_logs"] {
      versions += try await connection.query("SELECT ctid || ' ' || id AS v FROM \(identifier: table)").decode("v")
    }
    return versions.sorted()
  }
}
