import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import PushLive
import StoreLive
import TestSupport
import Testing

@testable import PushDelivery

/// A migrated database of its own with devices and deliveries in it.
struct DeliveryFixture {
  let url: String
  let connection: Connection
  private let spares = SpareConnections()
  /// The time that everything is due by.
  let now = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down))

  init() async throws {
    url = try await TemporaryPostgres.database(migrated: Self.migrate, named: "deliveries")
    connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
  }

  /// - Parameter url: an empty database.
  init(in url: String) async throws {
    try await Self.migrate(url)
    self.url = url
    connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
  }

  private static let migrate: @Sendable (String) async throws -> Void = { url in
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
    for migration in [Schema.preparation] + Schema.migrations { try await connection.script(migration.sql) }
    await connection.close()
  }

  func anotherConnection() -> Connection {
    Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
  }

  /// Registers devices and queues one delivery to each, due now; the token is also the collapse id.
  /// - Parameter isOnePersons: whether all belong to one person.
  func enqueue(
    _ tokens: [String], provider: String = "apns", environment: String? = nil, registeredAt: Date? = nil,
    lastAcceptedAt: Date? = nil, expiresAt: Date? = nil, isOnePersons: Bool = true
  ) async throws {
    _ = try await connection.query(
      """
      WITH person AS (
        INSERT INTO users (email, name)
        SELECT gen_random_uuid()::text, 'Ada' FROM generate_series(1, \(isOnePersons ? 1 : tokens.count)) RETURNING id
      ), people AS (SELECT id, row_number() OVER () AS number, count(*) OVER () AS total FROM person)
      INSERT INTO device_tokens (user_id, token, platform, provider, environment, registered_at, last_accepted_at)
      SELECT p.id, t.token, 'iOS', \(provider), \(environment as String?),
        \(registeredAt ?? now - 3_600), \(lastAcceptedAt as Date?)
      FROM unnest(\(tokens)::text[]) WITH ORDINALITY AS t (token, number)
      JOIN people p ON p.number = 1 + (t.number - 1) % p.total
      """)
    try await enqueueAgain(tokens, expiresAt: expiresAt)
  }

  /// Queues another delivery to each of some devices.
  func enqueueAgain(_ tokens: [String], expiresAt: Date? = nil) async throws {
    _ = try await connection.query(
      """
      WITH devices AS (
        SELECT id, user_id, token, app, provider, gen_random_uuid() AS notification
        FROM device_tokens WHERE token = ANY(\(tokens))
      ), told AS (
        INSERT INTO notifications (id, user_id, type, title, payload, collapse_id, created_at)
        SELECT notification, user_id, 'new_vote', 'Hi', '{"aps":{"alert":"Hi"},"type":"new_vote"}', token, \(now)
        FROM devices
      )
      INSERT INTO deliveries
        (notification_id, device_token_id, user_id, app, provider, not_before, expires_at, created_at, updated_at)
      SELECT notification, id, user_id, app, provider, \(now), \(expiresAt ?? now + 86_400), \(now), \(now) FROM devices
      """)
  }

  /// A row of `deliveries`.
  struct Delivery: Equatable {
    var state: String
    var attempts: Int
    var reason: String?
    var notBefore: Date
    var isLeased: Bool
    var hasApnsID: Bool
  }

  /// The deliveries to a device, oldest first.
  func deliveries(_ token: String) async throws -> [Delivery] {
    let rows = try await connection.query(
      """
      SELECT d.*, d.lease_id IS NOT NULL AS is_leased, d.apns_id IS NOT NULL AS has_apns_id
      FROM deliveries d JOIN device_tokens t ON t.id = d.device_token_id WHERE t.token = \(token)
      ORDER BY d.created_at
      """)
    return try rows.map { row in
      Delivery(
        state: try row.decode("state"), attempts: try row.decode("attempts"), reason: row["reason"],
        notBefore: try row.decode("not_before"), isLeased: try row.decode("is_leased"),
        hasApnsID: try row.decode("has_apns_id"))
    }
  }

  /// The only delivery to a device.
  func delivery(_ token: String) async throws -> Delivery {
    try #require(try await deliveries(token).first)
  }

  /// A column of a device, as text.
  func device(_ token: String, _ column: String) async throws -> String? {
    try await connection.query("SELECT \(identifier: column)::text AS v FROM device_tokens WHERE token = \(token)")
      .only()["v"]
  }

  /// The statuses of the log, oldest attempt first, and how often each stands there.
  func log(_ token: String) async throws -> [String] {
    try await connection.query(
      """
      SELECT l.status FROM push_notification_logs l JOIN device_tokens t ON t.id = l.device_token_id
      WHERE t.token = \(token) ORDER BY l.attempt, l.created_at
      """
    ).decode("status")
  }

  /// Ends every lease, as time would.
  func endLeases() async throws {
    _ = try await connection.query("UPDATE deliveries SET lease_until = now() - interval '1 second'")
  }

  /// How many deliveries stand in each state.
  func states() async throws -> [String: Int] {
    let rows = try await connection.query("SELECT state, count(*) AS n FROM deliveries GROUP BY state")
    return Dictionary(
      uniqueKeysWithValues: try rows.map { (try $0.decode("state"), try $0.decode("n")) })
  }

  /// A connection of a function, which nobody else holds.
  func connection(of function: String) -> Connection {
    spares.take(function) { Connection(url: url, applicationName: function, parameters: Connection.plansOnce) }
  }

  /// The function on a connection that nobody else holds, with a client.
  func function(_ client: PushClient) -> PushDelivery {
    PushDelivery(store: .postgres(connection(of: "push-delivery")), client: client, jitter: { 0 })
  }

  /// Runs the function once.
  @discardableResult
  func deliver(
    _ client: PushClient, of providers: [PushProvider] = PushProvider.allCases, after delay: TimeInterval = 0,
    dryRun: Bool = false
  ) async throws -> DeliverySummary {
    var function = function(client)
    function.providers = providers
    return try await function.handle(.wakeUp, .test(now: now + delay, dryRun: dryRun))
  }
}

extension QueuedPush {
  /// A push to a device, whose token is also the collapse id.
  static func test(
    _ token: String, environment: PushEnvironment? = nil, topic: String? = nil, lastAcceptedAt: Date? = nil,
    probe: PushEnvironment? = nil
  ) -> QueuedPush {
    QueuedPush(
      id: UUID(),
      device: Device(
        id: UUID(), token: token, environment: environment, topic: topic, registeredAt: .now - 60,
        lastAcceptedAt: lastAcceptedAt),
      payload: #"{"aps":{"alert":"Hi"}}"#, collapseID: token, expiresAt: .now + 3_600, probe: probe)
  }
}

extension APNsSender {
  /// Sends with half a minute of time.
  func send(_ pushes: [QueuedPush]) async -> [PushReport] {
    await send(pushes, until: .now + .seconds(30))
  }
}

extension Event<RawJSON> {
  /// The event of a notify trigger.
  static var wakeUp: Event<RawJSON> {
    let payload = RawJSON(object: [])
    return Event(envelope: Envelope(id: "1", source: "/test", type: EventType.notify, data: payload), data: payload)
  }
}

extension Context {
  static func test(now: Date, dryRun: Bool = false, log: Log = Log(write: { _ in })) -> Context {
    Context(function: "push-delivery", dryRun: dryRun, now: now, log: log)
  }
}
