import Postgres
import TestSupport
import Testing

/// The doctor's words about pushes that nobody gets for the moment.
@Suite(.heavy)
struct WaitingPushesTests {
  private static let refusal = "the proxy proxy.corp:3128 refused: HTTP/1.1 407 Proxy Authentication Required"

  /// Three pushes wait that were due long ago.
  private func queue(_ scene: DoctorScene, outage: String?, reason: String? = nil) async throws {
    let texts = [reason, outage].map { $0.map { "'\($0)'" } ?? "NULL" }
    let since = outage == nil ? "NULL" : "'2026-01-02 10:02:00+00'"
    try await scene.database.script(
      """
      WITH ada AS (INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada') RETURNING id),
      device AS (INSERT INTO device_tokens (user_id, token, platform) SELECT id, 'aabbccdd', 'iOS' FROM ada RETURNING *),
      told AS (
        INSERT INTO notifications (user_id, type, title, created_at)
        SELECT id, 'new_vote', 'Hi', now() FROM ada, generate_series(1, 3) RETURNING id)
      INSERT INTO deliveries (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at,
        updated_at, reason, outage, outage_since)
      SELECT t.id, d.id, d.user_id, d.app, now() - interval '1 hour', now() + '1 day', now(), now(),
        \(texts.joined(separator: ", ")), \(since)
      FROM told t CROSS JOIN device d
      """)
  }

  @Test func pushesThatCouldNotBeSentAreCountedWithTheReason() async throws {
    let scene = try await DoctorScene()
    try await queue(scene, outage: Self.refusal)

    let findings = try await scene.findings([])

    let line = "warning outage: 3 pushes wait for APNs since 2026-01-02T10:02:00Z: \(Self.refusal)"
    #expect(findings.contains(line), "\(findings)")
    #expect(!findings.contains { $0.hasPrefix("warning overdue") }, "\(findings)")
  }

  @Test func whatAProviderRefusesIsNamedOnce() async throws {
    let scene = try await DoctorScene()
    try await queue(scene, outage: "APNs refuses the configuration of com.example.app: BadTopic", reason: "BadTopic")

    let findings = try await scene.findings([])

    #expect(findings.filter { $0.contains("BadTopic") }.count == 1, "\(findings)")
    #expect(findings.contains("ok queue: 3 deliveries wait"))
  }

  @Test func aFaultOfTheConfigurationIsNamedOnce() async throws {
    let scene = try await DoctorScene()
    try await queue(scene, outage: nil)
    let wrong = ["APNS_KEY_PATH": "/nowhere/key.p8"]
    _ = try await BuiltExecutables.run(
      "push-delivery", stdin: #"{"specversion":"1.0","id":"1","source":"/t","type":"t","data":{}}"#,
      environment: scene.environment.merging(wrong) { $1 })

    let findings = try await scene.findings([], wrong)

    #expect(findings.filter { $0.contains("names a file that does not exist") }.count == 1, "\(findings)")
    let outage = try #require(findings.first { $0.hasPrefix("warning outage: 3 pushes wait for APNs since ") })
    #expect(outage.hasSuffix("Z: the configuration is wrong, see above"))
    #expect(!findings.contains { $0.hasPrefix("warning overdue") }, "\(findings)")
  }

  @Test func withoutTheTableOfProvidersTheDoctorSaysTheRest() async throws {
    let scene = try await DoctorScene()
    try await queue(scene, outage: nil)
    try await scene.database.script("DROP TABLE push_providers CASCADE")

    let findings = try await scene.findings([])

    #expect(findings.contains { $0.hasPrefix("warning overdue: deliveries: 3 overdue") }, "\(findings)")
    #expect(!findings.contains { $0.hasPrefix("MISSING") }, "\(findings)")
    let outage = findings.first { $0.hasPrefix("warning outage: ") }
    #expect(outage?.hasPrefix("warning outage: push_outages is not there: runner migrate") == true, "\(findings)")
  }

  @Test func rowsOfNoAppOrAnUnknownOneAreNamedWithTheStatementThatMendsThem() async throws {
    let scene = try await DoctorScene()
    try await scene.database.script(
      """
      ALTER TABLE device_tokens ALTER COLUMN app DROP NOT NULL;
      WITH ada AS (INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada') RETURNING id),
      device AS (
        INSERT INTO device_tokens (user_id, token, platform, app)
        SELECT id, token, 'iOS', app FROM ada, (VALUES ('aabbccdd', NULL), ('aabbccde', 'shop'), ('aabbccdf', 'shop'))
          AS d (token, app))
      INSERT INTO notifications (user_id, app, type, title, created_at) SELECT id, 'o''shop', 'x', 'Hi', now() FROM ada
      """)

    let findings = try await scene.findings([])

    for end in [
      "devices that name no app: 1; UPDATE device_tokens SET app = '…' WHERE app IS NULL, and \"defaultApp\"",
      "devices of shop, which is none of the apps (feedbackkit, ",
      "): 2; UPDATE device_tokens SET app = '…' WHERE app = 'shop'",
      "unread notifications of o'shop, which", "): 1; UPDATE notifications SET app = '…' WHERE app = 'o''shop'",
    ] {
      #expect(findings.contains { $0.hasPrefix("warning apps: ") && $0.contains(end) }, "\(end) in \(findings)")
    }
  }
}
