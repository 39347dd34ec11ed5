import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import NotificationCreated
@testable import ProposalCreated
@testable import StatusChanged

/// Everybody is told in the language that they read.
@Suite(.heavy)
struct ReaderLanguageTests {
  private static func choose(_ language: String, for person: Person) -> String {
    """
    INSERT INTO user_notification_preferences (user_id, language) VALUES ('\(person.id)', '\(language)')
    ON CONFLICT (user_id) DO UPDATE SET language = excluded.language;
    """
  }

  private static func device(_ locale: String, of person: Person, _ app: String, registered: String) -> String {
    """
    INSERT INTO device_tokens (user_id, token, app, platform, locale, registered_at)
    VALUES ('\(person.id)', 'd\(locale)\(registered)', '\(app)', 'iOS', '\(locale)', '2026-01-01 \(registered)');
    """
  }

  /// Ben has not voted yet, either.
  private func propose(_ demo: Demo) async throws {
    try await demo.connection.script("DELETE FROM proposal_votes")
    _ = try await demo.run(
      ProposalCreated(store: demo.store()), on: RowEvent.proposal("INSERT"), at: Demo.dayBefore)
  }

  @Test func twoPeopleOfOneEventGetTheirOwnWords() async throws {
    let demo = try await Demo()
    try await demo.connection.script(Self.choose("de-AT", for: .ben) + Self.choose("ja", for: .eva))

    try await propose(demo)

    #expect(
      try await demo.inbox(of: .ben) == ["Ada hat Game Night vorgeschlagen / Deine Stimme fehlt • Endet in 24 Stunden"])
    #expect(
      try await demo.inbox(of: .eva) == ["AdaさんがGame Nightを提案しました / 投票をお願いします • 締め切りは24 時間後"])
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE payload LIKE '%Ada hat Game Night%'") == 1)
    let others = try await demo.connection.query(
      """
      SELECT DISTINCT title FROM notifications WHERE user_id NOT IN (\(Person.ben.id)::uuid, \(Person.eva.id)::uuid)
      """)
    #expect(try others.decode("title", as: String.self) == ["Ada proposed Game Night"])
  }

  @Test func theSameHoldsInABatch() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      DELETE FROM votes;
      INSERT INTO users (id, email, name, is_email_verified)
      SELECT ('e0000000-0000-4000-8000-00000000000' || i)::uuid, 'v' || i || '@example.com', 'V' || i, true
      FROM generate_series(1, 3) i;
      INSERT INTO votes (user_id, user_email, feedback_id)
      SELECT 'sdk-' || i, 'v' || i || '@example.com', '\(RowEvent.feedback)' FROM generate_series(1, 3) i;
      INSERT INTO notification_settings (user_id, app, language) VALUES
        ('e0000000-0000-4000-8000-000000000001', 'feedbackkit', 'de'),
        ('e0000000-0000-4000-8000-000000000002', 'feedbackkit', 'ja');
      """)
    let store = demo.store()

    let requests = try (0..<2).map { number in
      func row(_ status: String, _ minute: Int) -> String {
        #"{"id":"\#(RowEvent.feedback)","status":"\#(status)","updated_at":"2030-01-01T10:\#(minute + 10):00Z"}"#
      }
      let document = RowEvent.event(
        "UPDATE", "feedbacks", record: row(["approved", "completed"][number], number + 1),
        oldRecord: row("pending", number), id: "\(number)")
      let envelope = try Envelope(RawJSON(validating: Array(document.utf8)[...]))
      let event = Event(envelope: envelope, data: try StatusChanged.payload(envelope.data))
      return try StatusChanged(store: store).request(
        event, Context(function: StatusChanged.name, now: Demo.now, log: Log { _ in }))
    }
    #expect(try await store.notify(requests).count == 2)

    let said = try await demo.connection.query(
      """
      SELECT right(user_id::text, 1) || ' ' || title || ' / ' || body AS said FROM notifications
      WHERE user_id::text LIKE 'e0000000%' ORDER BY user_id, created_at, body
      """)
    #expect(
      try Set(said.decode("said", as: String.self)) == [
        "1 Status geändert / Feedback, für das du gestimmt hast: Angenommen",
        "1 Status geändert / Feedback, für das du gestimmt hast: Abgeschlossen",
        "2 ステータスの更新 / 投票したフィードバック:承認済み", "2 ステータスの更新 / 投票したフィードバック:完了",
        "3 Status Updated / Feedback you voted on: Approved", "3 Status Updated / Feedback you voted on: Completed",
      ])
  }

  /// The choices of people, the languages of their devices, and the ones in which they are told.
  @Test(arguments: [
    (choose("nl", for: .ben), "Ada proposed Game Night"), (choose("en-GB", for: .ben), "Ada proposed Game Night"),
    (device("de-CH", of: .ben, "lockitin", registered: "10:00"), "Ada hat Game Night vorgeschlagen"),
    (
      device("de", of: .ben, "lockitin", registered: "10:00") + device("fr", of: .ben, "lockitin", registered: "11:00"),
      "Ada propose Game Night"
    ),
    (device("fr", of: .ben, "mugshot", registered: "10:00"), "Ada proposed Game Night"),
    (
      device("fr", of: .ben, "lockitin", registered: "10:00") + "UPDATE device_tokens SET is_active = false;",
      "Ada proposed Game Night"
    ),
    (
      device("fr", of: .ben, "lockitin", registered: "10:00") + choose("de", for: .ben),
      "Ada hat Game Night vorgeschlagen"
    ),
    (device("''--", of: .ben, "lockitin", registered: "10:00"), "Ada proposed Game Night"),
    (choose("ar", for: .ben), "\u{2068}Ada\u{2069} اقترح \u{2068}Game Night\u{2069}"),
  ])
  func theirChoiceComesBeforeTheirLastDevices(settings: String, title: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script(settings)

    try await propose(demo)

    let rows = try await demo.connection.query(
      "SELECT title FROM notifications WHERE user_id = \(Person.ben.id)::uuid")
    let titles = try rows.decode("title", as: String.self)
    #expect(titles == [title])
  }

  /// ICU's data are large: who says nothing in another language than American English does not load them.
  @Test(arguments: [("en", false), ("en-US", false), ("tlh", false), ("de", true), ("en-GB", true)])
  func onlyWhoSpeaksAnotherLanguageLoadsICU(language: String, loads: Bool) async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO notification_settings (user_id, app, language) SELECT id, 'feedbackkit', '\(language)' FROM users
      ON CONFLICT (user_id, app) DO UPDATE SET language = excluded.language;
      """)

    let outcome = try await BuiltExecutables.run(
      "comment-added", [], stdin: try Repository.text("Tests/Events/comment-added.json"),
      environment: ["DATABASE_URL": demo.url, "LD_DEBUG": "files"])

    #expect(outcome.exit == 0, "\(outcome.stdout)")
    #expect(outcome.stderr.contains("libpq") || outcome.stderr.contains("libc.so"), "the libraries are named")
    #expect(outcome.stderr.contains("libicui18n") == loads)
  }

  @Test func aFunctionSaysTheAppsOwnTexts() async throws {
    let demo = try await Demo()
    let folder = try TemporaryDirectory()
    try folder.write("feedbackkit.new_feedback.title = Neue Idee\n", to: "de.strings")
    try await demo.connection.script(
      """
      INSERT INTO notification_settings (user_id, app, language) SELECT id, 'feedbackkit', 'de' FROM users
      ON CONFLICT (user_id, app) DO UPDATE SET language = excluded.language;
      """)

    let outcome = try await BuiltExecutables.run(
      "feedback-created", [], stdin: try Repository.text("Tests/Events/feedback-created.json"),
      environment: ["DATABASE_URL": demo.url, "PUSH_LANGUAGES": folder.path])

    #expect(outcome.exit == 0, "\(outcome.stderr)")
    let titles = try await demo.connection.query("SELECT DISTINCT title FROM notifications")
    #expect(try titles.decode("title", as: String.self) == ["Neue Idee"])
  }

  @Test func severalInOnePushAreSaidInTheReadersWords() async throws {
    let scene = try await DeliveryPolicyScene()
    try await scene.set("language = 'de'")

    for number in 1...3 { try await scene.vote(number, at: Demo.now + Double(number)) }
    _ = try await scene.release(at: Demo.now + 1_000)

    let bodies = try await scene.pushes().map(\.body)
    #expect(bodies.first == "Dark mode hat jetzt 3 Stimmen")
    #expect(bodies.last == "3 Personen haben für Dark mode gestimmt")
  }

  @Test func whatWaitsIsSaidInTheLanguageOfItsRelease() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences
        (user_id, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end, language)
      VALUES ('\(Person.eva.id)', 'UTC', true, '19:00', '23:00', 'fr');
      """)
    try await propose(demo)
    try await demo.connection.script(Self.choose("de", for: .eva))

    _ = try await demo.store().release(at: Demo.dayBefore + 3 * 3_600 + 61, dryRun: false)

    #expect(
      try await demo.inbox(of: .eva) == ["Ada hat Game Night vorgeschlagen / Deine Stimme fehlt • Endet in 21 Stunden"])
  }

  @Test func aRowWithoutWordsGetsThoseOfItsKind() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO notification_settings (user_id, app, language) VALUES ('\(Person.ben.id)', 'repairminder', 'de');
      \(Self.device("fr", of: .ben, "repairminder", registered: "10:00"))
      INSERT INTO notifications (id, user_id, app, type, entity_id, created_at, expires_at, data) VALUES (
        'd0000000-0000-4000-8000-0000000000aa', '\(Person.ben.id)', 'repairminder', 'quote_rejected',
        '0d000000-0000-4000-8000-000000001234', to_timestamp(1790000000), to_timestamp(1792000000),
        '{"customer_name": "Zoë", "order_number": "7"}');
      """)
    let record = try await demo.connection.query(
      "SELECT to_jsonb(n)::text AS row FROM notifications n WHERE app = 'repairminder'"
    ).only().decode("row", as: String.self)

    _ = try await demo.run(
      NotificationCreated(store: demo.store()), on: RowEvent.event("INSERT", "notifications", record: record))

    let row = try await demo.connection.query("SELECT title, body FROM notifications WHERE app = 'repairminder'").only()
    #expect(row["title"] == "Angebot abgelehnt")
    #expect(row["body"] == "Zoë hat das Angebot für Auftrag Nr. 7 abgelehnt")
  }
}
