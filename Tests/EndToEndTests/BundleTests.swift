import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// From a row to the phone, through everything that is built.
@Suite(.heavy)
struct BundleTests {
  private static let feedback = "c0000000-0000-4000-8000-000000000001"

  private func kinds(_ pushes: [RawJSON]) -> Set<String> {
    Set(pushes.compactMap { $0["payload"]?["type"]?.stringValue })
  }

  private func vote(_ bundle: RunningBundle, _ count: Int) async throws {
    _ = try await bundle.runner.database.query(
      """
      INSERT INTO votes (feedback_id, user_id) SELECT \(Self.feedback)::uuid, gen_random_uuid()::text
      FROM generate_series(1, \(count)::int)
      """)
  }

  @Test func rowsOfAllKindsEndInPushes() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    try await vote(bundle, 1)
    _ = try await bundle.runner.database.query(
      "UPDATE feedbacks SET status = 'completed' WHERE id = \(Self.feedback)::uuid")
    try await bundle.settle()

    let all = try await phones.pushes()

    let pushes = all.filter { $0["collapseID"]?.stringValue != "badge" }
    #expect(kinds(pushes).isSuperset(of: ["new_feedback", "new_comment", "new_vote", "status_change"]))
    #expect(pushes.allSatisfy { $0["topic"]?.stringValue?.isEmpty == false })
    #expect(
      pushes.allSatisfy { $0["payload"]?["notificationId"] != nil || $0["payload"]?["notification_id"] != nil })
    #expect(
      pushes.contains { $0["payload"]?["aps"]?["alert"]?["body"]?.stringValue == "Dark mode is now Completed" })
    let logged = try await bundle.runner.database.query("SELECT 1 FROM push_notification_logs WHERE status = 'sent'")
    #expect(logged.count == all.count)
  }

  @Test func theAppReportsByTheIDInThePushThatItWasOpened() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    try await vote(bundle, 1)
    try await bundle.settle()
    let push = try await phones.pushes().last { $0["payload"]?["type"]?.stringValue == "new_vote" }
    let id = try #require(push?["payload"]?["notificationId"]?.stringValue)

    let known = try await phones.served.call(
      "push-interaction", #"{"notificationId":"\#(id)","event":"acted","action":"REPLY"}"#)
    let unknown = try await phones.served.call(
      "push-interaction", #"{"notificationId":"\#(UUID().uuidString)","event":"opened"}"#)

    #expect(known.status == 200 && known.json?["found"] == RawJSON(true))
    #expect(unknown.status == 404 && unknown.json?["found"] == RawJSON(false))
    let states = try await bundle.runner.database.query(
      "SELECT DISTINCT state FROM deliveries WHERE notification_id = \(id)::uuid")
    #expect(try states.decode("state") == ["acted"])
    let rates = try await bundle.runner.database.query(
      "SELECT opened, acted FROM push_rates_by_kind WHERE kind = 'new_vote'"
    ).only()
    #expect(rates["opened"] == "1" && rates["acted"] == "1")
  }

  @Test func theReminderReachesThoseWhoHaveNotVotedOnceHoweverOftenItRuns() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    try await bundle.runner.database.script(
      """
      INSERT INTO event_proposals (id, group_id, created_by, title, deadline, created_at)
      SELECT gen_random_uuid(), id, created_by, 'Chess', runner.now() + interval '100 minutes',
        runner.now() - interval '1 hour' FROM groups
      WHERE name = 'College Friends'
      """)

    for _ in 0..<3 { #expect(try await phones.served.call("proposal-reminder").status == 200) }
    try await bundle.settle()

    let titles = try await phones.screens().flatMap { $0["notifications"]?.elements ?? [] }
      .compactMap { $0["push"]?["payload"]?["aps"]?["alert"]?["title"]?.stringValue }.filter { $0.hasPrefix("Chess") }
    #expect(Set(titles) == ["Chess voting closes in 2 hours"])
    let told = try await bundle.runner.database.query(
      "SELECT count(*) AS all, count(DISTINCT user_id) AS people FROM notifications WHERE title LIKE 'Chess%'"
    ).only()
    #expect(told["all"] == told["people"])
  }

  @Test func theSameCallTwiceHasOneEffect() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    try await bundle.settle()
    // The demo's own votes gather the votes that follow; later pushes add to them until somebody reads of them.
    try await bundle.runner.database.script(
      "DELETE FROM held_notifications; UPDATE notifications SET window_ends_at = NULL, is_read = true")
    try await bundle.settle()
    let before = try await phones.pushes().count
    let event = try House.text("Tests/Events/vote-cast.supabase.json")

    let first = try await phones.served.call("vote-cast", event)
    let second = try await phones.served.call("vote-cast", event)
    try await bundle.settle()

    #expect(first.status == 200, "\(first.text)")
    #expect(first.text == second.text)
    let notified = first.json?["deliveries"]?.intValue ?? 0
    #expect(notified > 0)
    #expect(try await phones.pushes().count == before + notified)
  }

  @Test func dryRunsByPipeAndByInvokeSayTheSameAndChangeNothing() async throws {
    let bundle = try await RunningBundle()
    _ = try await bundle.start()
    try await bundle.settle()
    let event = try House.text("Tests/Events/comment-added.supabase.json")
    let counted: SQL = "SELECT (SELECT count(*) FROM notifications) || '/' || (SELECT count(*) FROM decisions) AS n"
    let before = try await bundle.runner.database.query(counted).only()["n"]

    let piped = try await BuiltExecutables.run(
      "comment-added", ["--dry-run"], stdin: event, environment: ["DATABASE_URL": bundle.runner.databaseURL])
    let invoked = try await bundle.runner.run(["invoke", "comment-added", "--dry-run", "--event", "-"], stdin: event)

    #expect(piped.exit == 0)
    #expect(piped.stdout == invoked.stdout)
    #expect(piped.stdout.contains("\"dryRun\":true"))
    #expect(try await bundle.runner.database.query(counted).only()["n"] == before)
  }

  @Test func aBadEventWritesNothingAndNamesTheField() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    try await bundle.settle()

    for (body, sentence) in [
      (#"{"type":"INSERT","table":"votes","schema":"public","record":{"id":"x"}}"#, "record.id"),
      (#"{"type":"INSERT","table":"votes","schema":"public","record":{}}"#, "record.id is missing"),
      (
        #"{"type":"INSERT","table":"comments","schema":"public","record":{"id":"\#(UUID())","feedback_id":"\#(UUID())"}}"#,
        "table must be"
      ),
      (#"[]"#, "must be an object"),
    ] {
      let answer = try await phones.served.call("vote-cast", body)
      #expect(answer.status == 400, "\(body)")
      #expect(answer.json?["message"]?.stringValue?.contains(sentence) == true, "\(answer.text)")
    }
  }

  @Test func anEventAboutARowThatIsGoneIsNoError() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    let gone =
      #"{"type":"INSERT","table":"votes","schema":"public","record":{"id":"\#(UUID().uuidString)","feedback_id":"\#(UUID().uuidString)","user_id":"x"}}"#

    let answer = try await phones.served.call("vote-cast", gone)

    #expect(answer.status == 200)
    #expect(answer.json?["notified"]?.intValue == 0)
    #expect(answer.text.contains("subject_gone"))
  }
}
