import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import NotificationCreated

@Suite(.heavy)
struct NotificationCreatedTests {
  private static let id = "e1000000-0000-4000-8000-000000000001"
  private static let order = "0d000000-0000-4000-8000-000000001234"

  /// A database with a phone for Ada, and a row that Repair Minder has inserted for her.
  private func demo(
    _ columns: String = "type, title, body", _ values: String = "'payment_received', 'Paid', '£5'"
  ) async throws -> Demo {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform, app, environment)
      VALUES ('\(Person.ada.id)', repeat('e5', 32), 'iOS', 'repairminder', 'sandbox');
      """)
    try await insert(Self.id, columns, values, demo)
    return demo
  }

  private func insert(_ id: String, _ columns: String, _ values: String, _ demo: Demo) async throws {
    try await demo.connection.script(
      """
      INSERT INTO notifications (id, user_id, app, entity_id, created_at, expires_at, \(columns))
      VALUES ('\(id)', '\(Person.ada.id)', 'repairminder', '\(Self.order)', to_timestamp(1790000000),
        to_timestamp(1790000000) + interval '30 days', \(values));
      """)
  }

  private func event(_ demo: Demo, row: String = id, event: String = "e1", actor: String? = nil) async throws -> String
  {
    let record = try await demo.connection.query(
      "SELECT to_jsonb(n)::text AS record FROM notifications n WHERE id = \(row)::uuid"
    ).only()
    return RowEvent.event(
      "INSERT", "notifications", record: try record.decode("record"), id: event, actor: actor)
  }

  private func run(_ demo: Demo, _ document: String, dryRun: Bool = false) async throws -> Answer {
    try await demo.run(NotificationCreated(store: demo.store()), on: document, dryRun: dryRun)
  }

  @Test func theRowItselfBecomesTheInboxEntry() async throws {
    let demo = try await demo()

    let answer = try await run(demo, try await event(demo))

    #expect(answer.decisions == [.ada: "notify addressee"])
    let row = try await demo.connection.query(
      """
      SELECT n.id::text, n.title, n.payload, n.subject_id, n.function, n.is_archived, n.origin, n.importance,
        (SELECT count(*) FROM deliveries d WHERE d.notification_id = n.id) AS deliveries,
        (SELECT count(*) FROM decisions d WHERE d.notification_id = n.id) AS decisions
      FROM notifications n
      """
    ).only()
    #expect((row["id"], row["title"], row["function"]) == (Self.id, "Paid", "notification-created"))
    #expect((row["subject_id"], row["origin"], row["importance"]) == (Self.order, "app", "normal"))
    #expect((row["deliveries"], row["decisions"], row["is_archived"]) == ("1", "1", "f"))
    let payload = try #require(row["payload"])
    #expect(
      payload.contains(#""entity_id":"\#(Self.order)","type":"payment_received","notification_id":"\#(Self.id)""#))
  }

  @Test func aRepeatedEventHasNoFurtherEffect() async throws {
    let demo = try await demo()
    let document = try await event(demo)
    let first = try await run(demo, document)
    let effects = try await demo.effects()

    let second = try await run(demo, document)

    #expect(second.result == first.result)
    #expect(try await demo.effects() == effects)
  }

  @Test func anotherEventAboutTheSameRowTellsNobodyAgain() async throws {
    let demo = try await demo()
    let document = try await event(demo)
    _ = try await run(demo, document)

    let again = try await run(demo, try await event(demo, event: "e2"))

    #expect(again.result.notified == 0)
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == 1)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE is_archived") == 0)
  }

  @Test func aDryRunWritesNothing() async throws {
    let demo = try await demo()
    let before = try await demo.effects()

    let answer = try await run(demo, try await event(demo), dryRun: true)

    #expect(answer.result.notified == 1)
    #expect(answer.json["payloads"]?.elements?.count == 1)
    #expect(try await demo.effects() == before)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE function IS NULL") == 1)
  }

  @Test func theKindFillsInTheWordsThatTheAppLeftOut() async throws {
    let demo = try await demo("type, data", #"'order_status_changed', '{"order_number": 1234}'"#)

    _ = try await run(demo, try await event(demo))

    let row = try await demo.connection.query(
      "SELECT title, body, data ->> 'order_number' AS number FROM notifications"
    )
    .only()
    #expect(row["title"] == "Order Ready")
    #expect(row["body"] == "Order #1234 is ready for collection")
    #expect(row["number"] == "1234")
  }

  @Test(
    arguments: [
      ("", "notify addressee", 1, 1),
      (
        "INSERT INTO notification_settings (user_id, app, is_enabled) VALUES ($, 'repairminder', false)",
        "suppress disabled", 1, 0
      ),
      (
        #"INSERT INTO notification_settings (user_id, app, switches) VALUES ($, 'repairminder', '{"payment_received": false}')"#,
        "suppress type_disabled", 1, 0
      ),
      (
        #"INSERT INTO notification_settings (user_id, app, switches) VALUES ($, 'repairminder', '{"quote_approved": false}')"#,
        "notify addressee", 1, 1
      ),
      (
        "INSERT INTO notification_settings (user_id, app, is_enabled) VALUES ($, 'mugshot', false)",
        "notify addressee", 1, 1
      ),
      ("UPDATE device_tokens SET is_active = false WHERE user_id = $", "suppress no_device", 1, 1),
      ("UPDATE notifications SET expires_at = to_timestamp(1789999999)", "suppress already_handled", 0, 0),
    ] as [(String, String, Int, Int)])
  func theGatesDecideWhatBecomesOfTheRow(change: String, decision: String, kept: Int, counted: Int) async throws {
    let demo = try await demo()
    let document = try await event(demo)
    try await demo.connection.script(
      change.split(separator: "$", omittingEmptySubsequences: false)
        .joined(separator: "'\(Person.ada.id)'"))

    let answer = try await run(demo, document)

    #expect(answer.decisions[.ada] == decision)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE NOT is_archived") == kept)
    #expect(
      try await demo.number("SELECT count(*) FROM notifications WHERE counts_for_badge AND NOT is_archived") == counted)
    let pushes = decision.hasPrefix("notify") ? 1 : 0
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == pushes)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE payload IS NOT NULL") == pushes)
  }

  @Test func nobodyIsToldOfTheirOwnAct() async throws {
    let demo = try await demo()

    let answer = try await run(demo, try await event(demo, actor: Person.ada.id))

    #expect(answer.decisions == [.ada: "suppress actor"])
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE is_archived") == 1)
  }

  @Test func theSameWordsAboutTheSameSubjectAreNotSaidTwice() async throws {
    let demo = try await demo()
    _ = try await run(demo, try await event(demo))
    let second = "e1000000-0000-4000-8000-000000000002"
    try await insert(second, "type, title, body", "'payment_received', 'Paid', '£5'", demo)

    let answer = try await run(demo, try await event(demo, row: second, event: "e2"))

    #expect(answer.decisions == [.ada: "suppress duplicate"])
    #expect(
      try await demo.number("SELECT count(*) FROM notifications WHERE is_archived AND id = \(second)::uuid") == 1)
  }

  @Test func aRowThatIsGoneTellsNobody() async throws {
    let demo = try await demo()
    let document = try await event(demo)
    try await demo.connection.script("DELETE FROM notifications")

    #expect(try await run(demo, document).result.reason == "subject_gone")
  }

  @Test func ourOwnRowsAreLeftAlone() async throws {
    let demo = try await demo("origin, type, title", "'function', 'payment_received', 'x'")

    let answer = try await run(demo, try await event(demo))

    #expect(answer.result.reason == "not_inserted_by_app")
    #expect(try await demo.number("SELECT count(*) FROM handled_events") == 0)
  }

  @Test(arguments: [
    (
      #""app":"feedbackkit","type":"new_coment","title":"x","body":"y""#,
      "record.type (new_coment) is no kind of feedbackkit: these are new_feedback, new_comment, new_vote, status_change."
    ),
    (
      #""app":"feedbackkit","type":"new comment\n","title":"x","body":"y""#,
      "record.type is no kind of feedbackkit: these are new_feedback, new_comment, new_vote, status_change."
    ),
    (#""app":"nobody","type":"like""#, "record.app has an unusable value."),
    (#""app":"mugshot","type":"like","body":"y","actor_username":"mia""#, "record.title is missing."),
    (#""app":"mugshot","type":"like","title":"x","actor_username":"mia""#, "record.body is missing."),
    (
      #""app":"repairminder","type":"quote_approved","entity_id":"7","data":{"order_number":1}"#,
      "record.data.amount is missing."
    ),
    (
      #""app":"repairminder","type":"order_status_changed","entity_id":"7","data":{"order_number":1,"status":"lost"}"#,
      "record.title is missing."
    ),
    (#""app":"mugshot","type":"like","data":[]"#, "record.data must be an object."),
  ])
  func anUnusableRowIsRefusedByTheNameOfItsField(fields: String, sentence: String) async throws {
    let record = #"{"id":"\#(Self.id)","user_id":"\#(Person.ada.id)",\#(fields)}"#
    let store = NotificationStore(
      Connection(url: "postgresql:///nowhere?host=/nonexistent", applicationName: "test"))
    let envelope = try Envelope(
      RawJSON(validating: Array(RowEvent.event("INSERT", "notifications", record: record).utf8)[...]))

    let error = await #expect(throws: FunctionError.self) {
      let event = Event(envelope: envelope, data: try NotificationCreated.payload(envelope.data))
      return try await NotificationCreated(store: store).handle(event, Context(function: "f", log: Log { _ in }))
    }

    #expect(error?.code == .invalidEvent)
    #expect(error?.message == sentence)
  }
}
