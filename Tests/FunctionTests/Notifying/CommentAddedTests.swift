import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import CommentAdded

@Suite(.heavy)
struct CommentAddedTests {
  @Test func tellsTeamAndSubmitterButNotTheAuthor() async throws {
    let demo = try await Demo()

    let answer = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded())

    #expect(
      answer.decisions == [
        .ada: "notify member", .ben: "suppress actor", .chloe: "suppress disabled", .dan: "suppress project_muted",
        .eva: "notify member", .finn: "suppress no_device", .grace: "notify submitter",
      ])
  }

  @Test(
    arguments: [
      (
        "the project's switch is off", "UPDATE project_member_preferences SET push_notify_new_comments = false",
        [.eva: "suppress type_disabled"]
      ),
      (
        "without the project's switch, the personal one is off",
        "UPDATE project_member_preferences SET push_notify_new_comments = NULL", [.eva: "suppress type_disabled"]
      ),
      (
        "a submitter who comments is known by the SDK's id", "UPDATE comments SET user_id = 'sdk-grace'",
        [.grace: "suppress actor", .ben: "notify member"]
      ),
      (
        "an inactive device, or another app's, is none",
        """
        UPDATE device_tokens SET is_active = false WHERE app = 'feedbackkit' AND user_id = '\(Person.ada.id)';
        UPDATE device_tokens SET app = 'mugshot' WHERE user_id = '\(Person.grace.id)';
        """, [.ada: "suppress no_device", .grace: "suppress no_device"]
      ),
    ] as [(String, String, [Person: String])])
  func whatTheRowsSayDecides(_ name: String, change: String, expected: [Person: String]) async throws {
    let demo = try await Demo()
    try await demo.connection.script(change)

    let answer = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded())

    #expect(answer.decisions.filter { expected.keys.contains($0.key) } == expected)
  }

  @Test func theStrongestReasonCounts() async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE feedbacks SET user_email = 'ADA@example.com'")

    let answer = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded())

    #expect(answer.decisions[.ada] == "notify submitter")
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE user_id = \(Person.ada.id)::uuid") == 1)
  }

  @Test(
    arguments: [
      ("user_id = 'admin'", "DELETE FROM project_members", "suppress actor"),
      ("user_id = 'admin'", "DELETE FROM project_members WHERE role <> 'admin'", "notify member"),
      ("user_id = 'admin', is_admin = false", "DELETE FROM project_members", "notify member"),
      ("user_id = 'sdk-somebody'", "DELETE FROM project_members", "notify member"),
      ("user_id = 'Ada@example.com'", "SELECT", "suppress actor"),
    ])
  func theOnlyAdministratorIsTheOwner(comment: String, members: String, expected: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE comments SET \(comment); \(members)")

    let answer = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded())

    #expect(answer.decisions[.ada] == expected && answer.decisions[.grace] == "notify submitter")
  }

  @Test func anUnknownAuthorExcludesNobody() async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE comments SET user_id = 'sdk-somebody'")

    let answer = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded())

    #expect(!answer.decisions.values.contains("suppress actor"))
  }

  @Test(arguments: ["'nobody@nowhere.example'", "NULL", "''"])
  func anAddressThatNobodyRegisteredIsSkipped(address: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script("UPDATE feedbacks SET user_email = \(address)")

    let answer = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded())

    #expect(answer.decisions[.grace] == nil)
    #expect(answer.decisions.count == 6)
  }

  @Test(arguments: [("comments", "comment"), ("feedbacks", "feedback")])
  func whatIsGoneTellsNobody(table: String, row: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script("DELETE FROM \(table)")

    let answer = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded())

    #expect(answer.result.reason == "subject_gone")
    #expect(try await demo.effects() == [0, 0, 0, 1, 0])
  }

  /// The row in the inbox, whether the badge counts it, and whether a push goes out.
  @Test(
    arguments: [
      (Person.ada, "true true"), (.eva, "true true"), (.finn, "true false"), (.chloe, "false false"),
      (.dan, "false false"), (.ben, nil),
    ] as [(Person, String?)])
  func leavesTheInboxThatTheDecisionAsksFor(person: Person, expected: String?) async throws {
    let demo = try await Demo()

    _ = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded())

    let rows = try await demo.connection.query(
      """
      SELECT n.counts_for_badge || ' ' || (n.payload IS NOT NULL) AS line FROM notifications n
      WHERE n.user_id = \(person.id)::uuid AND NOT n.is_read AND n.origin = 'function'
        AND n.function = 'comment-added' AND n.source = '/test' AND n.source_event_id = 'e1'
      """)
    #expect(try rows.decode("line", as: String.self) == [expected].compactMap(\.self))
  }

  @Test func deliveriesAreDueAtOnceAndEndAfterADay() async throws {
    let demo = try await Demo()

    _ = try await demo.run(CommentAdded(store: demo.store()), on: RowEvent.commentAdded())

    #expect(
      try await demo.number(
        """
        SELECT count(*) FROM deliveries d JOIN notifications n ON n.id = d.notification_id
        WHERE d.state = 'queued' AND d.not_before = \(Demo.now) AND d.provider = 'apns' AND d.app = 'feedbackkit'
          AND d.expires_at = \(Demo.now.addingTimeInterval(86_400)) AND n.created_at = \(Demo.now)
          AND n.collapse_id = n.id::text AND n.payload LIKE '{"aps":{"alert":%'
        """) == 4)
  }
}
