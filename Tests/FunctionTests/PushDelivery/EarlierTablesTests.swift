import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// FeedbackKit's database where the app has made its own tables for pushes before this schema came.
@Suite(.heavy)
struct EarlierTablesTests {
  /// The maker of the tables.
  enum Maker: String, CaseIterable {
    /// The migrations of the app's server: ids and times have no default, and the times may be missing.
    case fluent
    /// The SQL of its plan: two platforms, and short texts.
    case sql

    var tables: String {
      switch self {
      case .fluent:
        """
        CREATE TABLE device_tokens (
          id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, token text NOT NULL,
          platform text NOT NULL, app_version text, os_version text, is_active boolean NOT NULL DEFAULT true,
          created_at timestamptz, last_used_at timestamptz, CONSTRAINT "uq:device_tokens.token" UNIQUE (token));
        CREATE TABLE project_member_preferences (
          id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
          project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE, push_notify_new_feedback boolean,
          push_notify_new_comments boolean, push_notify_votes boolean, push_notify_status_changes boolean,
          push_muted boolean NOT NULL DEFAULT false, email_notify_new_feedback boolean,
          email_notify_new_comments boolean, email_muted boolean NOT NULL DEFAULT false, created_at timestamptz,
          updated_at timestamptz, UNIQUE (user_id, project_id));
        CREATE TABLE push_notification_logs (
          id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
          device_token_id uuid REFERENCES device_tokens (id) ON DELETE SET NULL, notification_type text NOT NULL,
          status text NOT NULL, feedback_id uuid REFERENCES feedbacks (id) ON DELETE SET NULL,
          project_id uuid REFERENCES projects (id) ON DELETE SET NULL, payload jsonb, error_message text, apns_id text,
          created_at timestamptz);
        """
      case .sql:
        """
        CREATE TABLE device_tokens (
          id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
          token text NOT NULL UNIQUE, platform varchar(10) NOT NULL, app_version varchar(20), os_version varchar(20),
          is_active boolean NOT NULL DEFAULT true, created_at timestamptz DEFAULT now(), last_used_at timestamptz,
          CONSTRAINT valid_platform CHECK (platform IN ('iOS', 'macOS')));
        """
      }
    }
  }

  /// A database of this maker with a device in it, migrated.
  private func fixture(_ maker: Maker) async throws -> DeliveryFixture {
    let url = try await TemporaryPostgres.database()
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
    try await connection.script(
      """
      \(Schema.feedbackKitTables)
      \(maker.tables)
      INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada');
      INSERT INTO device_tokens (id, user_id, token, platform, created_at)
      SELECT gen_random_uuid(), id, token, 'iOS', at FROM users, (
        VALUES ('aa', timestamptz '2026-01-02 03:04:05+00'), ('bb', NULL)) AS d (token, at);
      """)
    await connection.close()
    return try await DeliveryFixture(in: url)
  }

  @Test(arguments: Maker.allCases) func devicesAreRegisteredAndPushesSettled(_ maker: Maker) async throws {
    let fixture = try await fixture(maker)
    let person = try await fixture.connection.query("SELECT id FROM users").only().decode("id", as: UUID.self)
    let store = DeviceStore(fixture.anotherConnection())
    for platform in DeviceRegistration.Platform.allCases {
      var device = DeviceRegistration(token: "new-\(platform)", app: .feedbackKit, platform: platform)
      device.osVersion = "Version 18.0 (Build 22A3354)"
      _ = try await store.register(device, for: PersonLive.Person(id: person), at: fixture.now)
    }
    try await fixture.enqueueAgain(["aa", "new-iOS"])

    let summary = try await fixture.deliver(ScriptedClient(.accepted, status: 200).client)

    #expect(summary.accepted == 2)
    #expect(try await fixture.states() == ["accepted": 2])
    #expect(try await fixture.log("aa") == ["sent"])
    let logged = try await fixture.connection.query("SELECT FROM push_notification_logs WHERE created_at IS NOT NULL")
    #expect(logged.count == 2)
  }

  @Test func aDeviceWasRegisteredWhenItsRowWasMade() async throws {
    let fixture = try await fixture(.fluent)

    let dates = try await fixture.connection.query(
      "SELECT token || ' ' || (registered_at = created_at)::text AS said FROM device_tokens ORDER BY token"
    ).decode("said", as: String?.self)

    #expect(dates == ["aa true", nil])
  }

  @Test func anAnswerAboutATimeBeforeTheMigrationSwitchesItOff() async throws {
    let fixture = try await fixture(.fluent)
    try await fixture.enqueueAgain(["aa"])
    let gone = ScriptedClient(.deviceGone(at: Date(timeIntervalSince1970: 1_780_000_000)), status: 410)

    try await fixture.deliver(gone.client)

    #expect(try await fixture.device("aa", "is_active") == "false")
  }

  /// A row that does not say whether it is active is: of two of one phone, in two spellings or of two people, the later
  /// stays.
  @Test(arguments: [("token", "ABCD"), ("device_token", "abcd")])
  func ofTwoRowsOfAPhoneTheLaterStays(column: String, later: String) async throws {
    let url = try await TemporaryPostgres.database()
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(300))
    try await connection.script(
      """
      \(Schema.feedbackKitTables)
      CREATE TABLE device_tokens (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id), \(column) text NOT NULL,
        platform text NOT NULL, is_active boolean, created_at timestamptz, last_used_at timestamptz, note text);
      INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada'), ('ben@example.com', 'Ben');
      INSERT INTO device_tokens (user_id, \(column), platform, is_active, created_at, last_used_at, note)
      SELECT id, CASE name WHEN 'Ada' THEN 'abcd' ELSE '\(later)' END, 'iOS', CASE name WHEN 'Ada' THEN true END, at, at, name
      FROM users, unnest(ARRAY[timestamptz '2026-01-02' + CASE name WHEN 'Ada' THEN interval '0' ELSE '1 day' END]) AS at;
      """)
    await connection.close()

    let fixture = try await DeliveryFixture(in: url)

    let active = try await fixture.connection.query("SELECT note FROM device_tokens WHERE is_active IS NOT FALSE")
    #expect(try active.decode("note") == ["Ben"])
  }
}
