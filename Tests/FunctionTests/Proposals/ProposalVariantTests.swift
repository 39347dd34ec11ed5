import DeliveryLive
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import NotificationCreated
@testable import ProposalCreated

/// New proposals while their texts are tried out.
@Suite(.heavy)
struct ProposalVariantTests {
  private static let members = 400
  private static let bodies = [
    "control": "Vote needed • Closes in 24 hours", "urgency": "Vote needed • 24 hours left!",
    "names": "404 people need your vote", "event": "Vote on Game Night • 24 hours",
  ]

  /// The demo's group with hundreds of other members with devices.
  private func demo(_ experiment: String = "('lockitin', 'proposal_created', true)") async throws -> Demo {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO users (id, email, name)
      SELECT ('e0000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'm' || i || '@example.com', 'M' || i
      FROM generate_series(1, \(Self.members)) i;
      INSERT INTO group_members (group_id, user_id) SELECT '\(Demo.group)', id FROM users WHERE name LIKE 'M%';
      INSERT INTO device_tokens (user_id, token, platform, app, environment)
      SELECT id, 'token-' || id, 'iOS', 'lockitin', 'sandbox' FROM users WHERE name LIKE 'M%';
      INSERT INTO experiments (app, kind, is_on) VALUES \(experiment);
      """)
    return demo
  }

  private func create(_ demo: Demo, _ id: String = "e1", dryRun: Bool = false) async throws -> Answer {
    try await demo.run(
      ProposalCreated(store: demo.store(chunk: 150)), on: RowEvent.proposal("INSERT", id), dryRun: dryRun,
      at: Demo.dayBefore)
  }

  private func variants(_ demo: Demo) async throws -> [String: String] {
    let rows = try await demo.connection.query("SELECT user_id::text AS person, variant FROM notifications")
    return Dictionary(rows.compactMap { row in row["person"].map { ($0, row["variant"] ?? "none") } }) { $1 }
  }

  @Test func everybodyReadsTheTextOfTheirVariantWhichIsRecorded() async throws {
    let demo = try await demo()

    _ = try await create(demo)

    let rows = try await demo.connection.query(
      """
      SELECT variant, string_agg(DISTINCT body, ' | ') AS bodies, count(*) AS people,
        bool_and(payload LIKE '%' || body || '%') AS is_pushed
      FROM notifications WHERE payload IS NOT NULL GROUP BY variant
      """)
    #expect(Dictionary(rows.map { ($0["variant"] ?? "none", $0["bodies"] ?? "") }) { $1 } == Self.bodies)
    for row in rows {
      #expect(abs(try row.decode("people", as: Int.self) - Self.members / 4) < 35)
      #expect(try row.decode("is_pushed", as: Bool.self))
    }
  }

  @Test func thoseWhoAreNotToldCountForTheirVariantToo() async throws {
    let demo = try await demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, proposal_notifications)
      SELECT id, false FROM users WHERE name LIKE 'M%'
      """)

    _ = try await create(demo)

    #expect(
      try await demo.number(
        """
        SELECT count(*) FROM decisions d JOIN notifications n ON n.id = d.notification_id
        WHERE d.reason = 'type_disabled' AND d.variant = n.variant
        """) == Self.members)
    #expect(
      try await demo.number(
        "SELECT count(*) FROM push_rates_by_variant WHERE day = '2030-01-04' AND opt_out_rate > 0.9") == 4)
  }

  @Test func aLaterProposalAndADryRunChooseTheSame() async throws {
    let demo = try await demo()
    _ = try await create(demo)
    let first = try await variants(demo)
    let payloads = try await demo.connection.query("SELECT payload FROM notifications WHERE payload IS NOT NULL")

    let rehearsal = try await create(demo, dryRun: true)
    let rehearsed = try #require(rehearsal.json["payloads"]?.elements).compactMap { $0["payload"] }
    try await demo.connection.script("DELETE FROM notifications")
    _ = try await create(demo, "e2")

    #expect(first.count >= Self.members && Set(first.values).count == 4)
    #expect(try await variants(demo) == first)
    #expect(
      try rehearsed.compactMap { $0["aps"]?["alert"]?["body"]?.stringValue }.sorted()
        == payloads.decode("payload", as: String.self).compactMap {
          try RawJSON(validating: Array($0.utf8)[...])["aps"]?["alert"]?["body"]?.stringValue
        }.sorted())
  }

  @Test func thePayloadSaysNothingOfIt() async throws {
    let demo = try await demo()
    _ = try await create(demo)
    let members: SQL = """
      SELECT count(DISTINCT (jsonb_set(payload::jsonb, '{aps,alert,body}', '""') - 'notification_id')::text)
      FROM notifications WHERE payload IS NOT NULL
      """

    #expect(try await demo.number(members) == 1)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE data ? 'variant'") == 0)
  }

  @Test(arguments: [
    "('lockitin', 'proposal_created', false)", "('lockitin', 'proposal_updated', true)",
    "('mugshot', 'proposal_created', true)",
  ])
  func whatIsNotSwitchedOnIsNotTriedOut(experiment: String) async throws {
    let demo = try await demo(experiment)

    _ = try await create(demo)

    #expect(try await demo.number("SELECT count(*) FROM notifications") >= Self.members)
    #expect(
      try await demo.number("SELECT count(*) FROM notifications WHERE body = 'Vote needed • Closes in 24 hours'")
        == demo.number("SELECT count(*) FROM notifications"))
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE variant IS NOT NULL") == 0)
    #expect(try await demo.number("SELECT count(*) FROM decisions WHERE variant IS NOT NULL") == 0)
    #expect(try await demo.number("SELECT count(*) FROM push_rates_by_variant") == 0)
  }

  @Test func whatWaitedForTheMorningKeepsItsVariant() async throws {
    let demo = try await demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      SELECT id, true, '19:00', '23:00' FROM users WHERE name LIKE 'M%'
      """)
    _ = try await create(demo)
    let held = try await demo.number("SELECT count(*) FROM held_notifications")
    let before = try await variants(demo)
    try await demo.connection.script("UPDATE experiments SET is_on = false")

    let release = try await demo.store().release(at: Demo.dayBefore.addingTimeInterval(3 * 3600 + 60), dryRun: false)

    #expect(held == Self.members && release.released == Self.members)
    #expect(try await variants(demo) == before)
    let rows = try await demo.connection.query(
      """
      SELECT DISTINCT n.variant, n.body FROM notifications n JOIN notification_rechecks r ON r.notification_id = n.id
      WHERE n.pushed_at IS NOT NULL
      """)
    // Three hours later less time is left.
    let bodies = Self.bodies.mapValues { $0.replacing("24 hours", with: "21 hours") }
    #expect(Dictionary(rows.map { ($0["variant"] ?? "none", $0["body"] ?? "") }) { $1 } == bodies)
  }

  @Test func anAppsOwnWordsStay() async throws {
    let demo = try await demo()
    let id = "e1000000-0000-4000-8000-000000000001"
    try await demo.connection.script(
      """
      INSERT INTO notifications (id, user_id, app, type, title, body, created_at)
      VALUES ('\(id)', '\(Person.eva.id)', 'lockitin', 'proposal_created', 'Mine', 'My words', to_timestamp(1790000000))
      """)
    let record: String = try await demo.connection.query("SELECT to_jsonb(n)::text AS record FROM notifications n")
      .only().decode("record")

    let answer = try await demo.run(
      NotificationCreated(store: demo.store()), on: RowEvent.event("INSERT", "notifications", record: record))

    #expect(answer.decisions == [.eva: "notify addressee"])
    let row = try await demo.connection.query("SELECT body, variant FROM notifications").only()
    #expect(row["body"] == "My words" && row["variant"] == nil)
  }
}
