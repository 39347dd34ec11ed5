import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import NotificationCreated
@testable import PushDelivery

/// Databases of the apps as they were before this schema came, each with its own tables: `Databases` has them.
@Suite(.heavy)
struct OwnDatabaseTests {
  /// An app that was there first.
  struct Origin: CustomTestStringConvertible, Sendable {
    let app: App
    /// A row that the app inserts for Ada, and the way it stores somebody's device.
    let row: String
    let device: String

    var testDescription: String { app.rawValue }

    static let all = [
      Origin(
        app: .mugshot, row: #"'like', 'New like', 'joe liked it', '{"actor_username":"joe"}'"#,
        device: """
          INSERT INTO user_devices (user_id, push_token, platform) VALUES (PERSON, TOKEN, 'ios')
          ON CONFLICT (user_id, push_token) DO UPDATE SET updated_at = now()
          """),
      Origin(
        app: .repairMinder, row: #"'payment_received', 'Paid', '£5', '{"entity_id":"e1"}'"#,
        device: """
          INSERT INTO device_tokens (user_id, device_token, platform) VALUES (PERSON, TOKEN, 'ios')
          ON CONFLICT (user_id, device_token) DO UPDATE SET platform = excluded.platform
          """),
      Origin(
        app: .lockItIn, row: "'FRIEND_REQUEST', 'Friend request', 'Ben wants to be your friend', '{}'",
        device: """
          INSERT INTO device_tokens (user_id, device_token, device_model) VALUES (PERSON, TOKEN, 'iPhone')
          ON CONFLICT (user_id, device_token) DO UPDATE SET is_active = true, last_used_at = now()
          """),
    ]

    func device(_ person: UUID, _ token: String) -> String {
      device.replacing("PERSON", with: "'\(person)'").replacing("TOKEN", with: "'\(token)'")
    }
  }

  private static let (ada, ben) = (UUID(number: 1), UUID(number: 2))

  /// The app's database, migrated with the app as the default.
  private func fixture(_ origin: Origin) async throws -> DeliveryFixture {
    let url = try await TemporaryPostgres.database()
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
    try await connection.script(try Repository.text("Tests/FunctionTests/Databases/\(origin.app.rawValue).sql"))
    // As `runner migrate` does it where functions.json says so.
    try await connection.script(
      """
      ALTER TABLE IF EXISTS notifications ADD COLUMN app text NOT NULL DEFAULT '\(origin.app.rawValue)';
      ALTER TABLE IF EXISTS device_tokens ADD COLUMN app text NOT NULL DEFAULT '\(origin.app.rawValue)';
      """)
    await connection.close()
    let fixture = try await DeliveryFixture(in: url)
    try await fixture.connection.script(
      """
      ALTER TABLE notifications ALTER COLUMN app SET DEFAULT '\(origin.app.rawValue)';
      ALTER TABLE device_tokens ALTER COLUMN app SET DEFAULT '\(origin.app.rawValue)';
      """)
    return fixture
  }

  private func devices(_ fixture: DeliveryFixture) async throws -> [String] {
    try await fixture.connection.query(
      """
      SELECT token || ' ' || right(user_id::text, 1) || ' ' || app AS said FROM device_tokens WHERE is_active ORDER BY 1
      """
    ).decode("said")
  }

  @Test func aDeviceWithoutATokenIsRefusedInASentence() async throws {
    for origin in Origin.all where origin.device.contains("device_token,") {
      let fixture = try await fixture(origin)
      for statement in [
        "INSERT INTO device_tokens (user_id, platform) VALUES ('\(Self.ada)', 'ios')",
        "UPDATE device_tokens SET device_token = NULL",
      ] {
        let error = await #expect(throws: PostgresError.self) { try await fixture.connection.script(statement) }
        #expect(error?.sqlState == "23502" && error?.column == "device_token")
        #expect(error?.message == "A device needs its token, in device_token or in token.")
      }
    }
  }

  @Test(arguments: Origin.all) func aTokenIsOfTheLastPersonWhoHadIt(_ origin: Origin) async throws {
    let fixture = try await fixture(origin)
    let app = origin.app.rawValue
    #expect(try await devices(fixture) == ["own 1 \(app)", "shared 2 \(app)"])

    try await fixture.connection.script(origin.device(Self.ada, "shared"))
    try await fixture.connection.script(origin.device(Self.ben, "own"))
    try await fixture.connection.script(origin.device(Self.ben, "own"))

    #expect(try await devices(fixture) == ["own 2 \(app)", "shared 1 \(app)"])

    let store = DeviceStore(fixture.anotherConnection())
    for person in [Self.ben, Self.ada, Self.ben] {
      let device = DeviceRegistration(token: "own", app: origin.app, platform: .iOS)
      _ = try await store.register(device, for: PersonLive.Person(id: person), at: fixture.now)
    }
    #expect(try await devices(fixture) == ["own 2 \(app)", "shared 1 \(app)"])
    let left = try await fixture.anotherConnection().read(
      DeviceStore.devices(of: nil), of: PersonLive.Person(id: Self.ben))
    #expect(left.count == 1)
  }

  @Test(arguments: Origin.all) func aRowThatTheAppInsertsGoesToItsDevicesAndIsReadInTheInbox(
    _ origin: Origin
  ) async throws {
    let fixture = try await fixture(origin)
    let record: String = try await fixture.connection.query(
      """
      INSERT INTO notifications AS n (user_id, type, title, body, data)
      VALUES (\(Self.ada), \(unescaped: origin.row)) RETURNING to_jsonb(n)::text AS record
      """
    ).only().decode("record")
    let document = RowEvent.event("INSERT", "notifications", record: record)
    let envelope = try Envelope(RawJSON(validating: Array(document.utf8)[...]))
    let event = Event(envelope: envelope, data: try NotificationCreated.payload(envelope.data))
    let context = Context(function: NotificationCreated.name, dryRun: false, now: fixture.now, log: Log { _ in })
    let function = NotificationCreated(store: NotificationStore(fixture.anotherConnection()))
    _ = try await function.handle(event, context)
    let apns = ScriptedClient(.accepted, status: 200)

    try await fixture.deliver(apns.client)

    #expect(apns.pushes.map(\.device.token) == ["own"])
    #expect(apns.pushes.allSatisfy { $0.device.app == origin.app.rawValue })
    #expect(try await fixture.states() == ["accepted": 1])
    #expect(try await fixture.log("own") == ["sent"])

    let page = InboxStore.page(InboxFilter(app: origin.app), after: nil, limit: 10, at: fixture.now + 1)
    let entries = try await fixture.anotherConnection().read(page, of: PersonLive.Person(id: Self.ada))
    let id = try RawJSON(validating: Array(record.utf8)[...])["id"]?.stringValue
    #expect(entries.items.first?.id == id && id != nil)
    #expect(entries.items.first?.isRead == false)
  }

  @Test(arguments: Origin.all) func aDeviceThatIsGoneEnds(_ origin: Origin) async throws {
    let fixture = try await fixture(origin)
    try await fixture.enqueueAgain(["own"])
    let gone = ScriptedClient(.deviceGone(at: fixture.now), status: 410, reason: "Unregistered")

    try await fixture.deliver(gone.client)

    #expect(try await fixture.device("own", "is_active") == "false")
    #expect(try await fixture.log("own") == ["token_expired"])
  }
}

extension UUID {
  fileprivate init(number: Int) {
    self = UUID(uuidString: "a0000000-0000-4000-8000-00000000000\(number)") ?? UUID()
  }
}
