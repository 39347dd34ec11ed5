import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

/// `runner why` on a person.
@Suite(.heavy)
struct WhyTests {
  private static func ago(_ seconds: TimeInterval) -> Date { Date.now.addingTimeInterval(-seconds) }

  @Test func aPersonSeesHowTheyStandAndWhatWasDecidedTheNewestFirst() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.vote(1, at: Self.ago(300))
    try await scene.policy.vote(2, at: Self.ago(200))
    try await scene.deliver(at: Self.ago(290))
    try await scene.connection.script(
      """
      INSERT INTO device_tokens (user_id, token, platform, app, is_active, deactivated_at, deactivated_reason)
      VALUES ('\(ExplainScene.person.id)', repeat('9z', 32), 'iOS', 'feedbackkit', false, now(), 'Unregistered')
      """)
    try await scene.policy.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin', hourly_limit = 3")

    let text = try await scene.text(["why", "Grace@Example.com"])
    let json = try await scene.json(["why", ExplainScene.person.id, "--since", "30m", "--app", "feedbackkit"])

    #expect(text.hasPrefix("Grace <grace@example.com> · \(ExplainScene.person.id) · "))
    #expect(text.contains("  feedbackkit: notifications on · badge 2 · quiet hours 22:00–08:00 Europe/Berlin, "))
    #expect(text.contains("1 of 3 pushes in the last hour"))
    #expect(text.contains("    iOS a7a7a7a7… APNs: active"))
    #expect(text.contains("    iOS 9z9z9z9z… APNs: not active since") && text.contains("(Unregistered)"))
    #expect(text.contains("    gathering votes until ") && text.contains("    new vote waits until "))
    let lines = text.split(separator: "\n").filter { $0.hasSuffix("]") }
    #expect(lines.count == 2 && lines.first?.contains("waits until") == true)
    #expect(lines.last?.contains("told; sent to 1 device  [") == true)
    #expect(json["decisions"]?.elements?.count == 2 && json["total"]?.intValue == 2)
    #expect(json["person"]?["id"]?.stringValue == ExplainScene.person.id)
    #expect(json["apps"]?.elements?.first?["badge"]?.intValue == 2)
    #expect(!text.contains("Dark mode"), "no words of notifications")
  }

  @Test func whatWaitsIsNamedByItsSubjectAndNotByTheProjectOfItsFamily() async throws {
    let scene = try await ExplainScene()
    let title: String = try await scene.connection.query(
      "UPDATE feedbacks SET title = 'Night mode' WHERE id = \(RowEvent.feedback)::uuid RETURNING title"
    ).only().decode("title")
    try await scene.connection.script(
      """
      WITH waiting AS (
        INSERT INTO notifications (user_id, type, app, origin, family, family_subject, family_name, subject_id)
        VALUES ('\(ExplainScene.person.id)', 'status_change', 'feedbackkit', 'function', 'statuses',
          '\(RowEvent.feedback)', 'The project', '\(RowEvent.feedback)') RETURNING *)
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
        SELECT id, user_id, app, 'quiet_hours', push_now() + interval '2 hours', push_now() FROM waiting
      """)

    let all = try await scene.json(["people", "--waiting"])["waiting"]?.elements
    let page = try await scene.json(["people", ExplainScene.person.id])["page"]

    #expect(all?.map { $0["subjectName"]?.stringValue } == [title])
    let own = page?["apps"]?.elements?.first?["waiting"]?.elements
    #expect(own?.map { $0["subjectName"]?.stringValue } == [title])
  }

  @Test func peopleAreNamedByTheirIDsAtOnce() async throws {
    let scene = try await ExplainScene()
    let (grace, nobody) = (ExplainScene.person.id, "00000000-0000-4000-8000-0000000000ff")

    let found = try await scene.json(["people", "--ids", "\(nobody),\(grace.uppercased())"])
    #expect(found["found"]?.elements?.map { $0["id"]?.stringValue } == [grace])
    #expect(found["found"]?.elements?.first?["name"]?.stringValue == "Grace" && found["page"] == nil)
    for wrong in ["grace", "\(grace),", Array(repeating: grace, count: 101).joined(separator: ",")] {
      #expect(try await scene.run(["people", "--ids", wrong]).exit == 64)
    }
    #expect(try await scene.run(["people", "ben", "--ids", grace]).exit == 64, "one of both would be left out")
  }

  @Test func whatCountsWithoutAPushIsCounted() async throws {
    let scene = try await ExplainScene()
    func unpushed() async throws -> Int {
      let apps = try await scene.json(["people", ExplainScene.person.id])["page"]?["apps"]?.elements ?? []
      return apps.reduce(0) { $0 + ($1["unpushed"]?.intValue ?? 0) }
    }
    let first = try await unpushed()
    func write(_ title: String, _ rest: String) async throws {
      try await scene.connection.script(
        """
        INSERT INTO notifications (user_id, app, type, title, pushed_at, counts_for_badge, is_read)
        VALUES ('\(ExplainScene.person.id)', 'feedbackkit', 'new_vote', '\(title)', \(rest))
        """)
    }
    try await write("pushed", "push_now(), true, false")
    try await write("read", "NULL, true, true")
    try await write("muted", "NULL, false, false")
    let before = try await unpushed()
    try await write("unpushed", "NULL, true, false")

    #expect(before == first)
    #expect(try await unpushed() == first + 1)
    try await scene.connection.script(
      """
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'quiet_hours', push_now() + interval '2 hours', push_now() FROM notifications
      WHERE title = 'unpushed'
      """)
    #expect(try await unpushed() == first, "what waits has its push later")
  }

  /// Arguments: what is set, how a person's language is said, and its tag, texts and whether they chose it.
  @Test(arguments: [
    ("language = 'de-AT'", " · told in de, as they chose (de-AT)", ["de-AT", "de", "true"]),
    ("language = 'ja'", " · told in ja, as they chose", ["ja", "ja", "true"]),
    ("language = 'tlh'", " · told in en, as they chose (tlh)", ["tlh", "en", "true"]),
    ("language = ''", " · told in fr, as their last device says (fr-CA)", ["fr-CA", "fr", "false"]),
  ])
  func aPersonsLanguageIsSaidAndWhoNamedIt(setting: SQL, words: String, report: [String]) async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script("UPDATE device_tokens SET locale = 'fr-CA'")
    try await scene.policy.set(setting)

    let app = try await scene.json(["why", ExplainScene.person.id])["apps"]?.elements?.first

    #expect(try await scene.text(["why", ExplainScene.person.id]).contains("\(words)\n"))
    let language = app?["language"]
    #expect([language?["tag"], language?["texts"]].map { $0?.stringValue } == [report[0], report[1]])
    #expect(language?["isChosen"] == RawJSON(report[2] == "true"))
  }

  @Test func aPersonsPageHasTheTimeOfTheMovedClock() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      CREATE SCHEMA runner; CREATE TABLE runner.clock ("offset" interval); INSERT INTO runner.clock VALUES ('100 days');
      """)

    let page = try await scene.json(["people", ExplainScene.person.id])["page"]

    let now = try #require(page?["now"]?.stringValue.flatMap(RFC3339.date))
    #expect(abs(now.timeIntervalSinceNow - 100 * 86_400) < 3_600)
  }

  @Test func anAppsOwnLanguageIsNamed() async throws {
    let scene = try await ExplainScene()
    let folder = try TemporaryDirectory()
    try folder.write("feedbackkit.new_vote.title = Nieuwe stem\n", to: "nl.strings")
    try await scene.policy.set("language = 'nl-BE'")

    let outcome = try await BuiltExecutables.run(
      "push", ["why", ExplainScene.person.id],
      environment: ["DATABASE_URL": scene.policy.demo.url, "PUSH_LANGUAGES": folder.path])

    #expect(outcome.stdout.contains(" · told in nl, as they chose (nl-BE)\n"), "\(outcome.stdout)\(outcome.stderr)")
  }

  @Test func whoIsNotRemindedOfWhatStaysUnreadIsNamedWithTheReason() async throws {
    let scene = try await ExplainScene()
    func state() async throws -> (words: String, report: String?) {
      let report = try await scene.json(["why", ExplainScene.person.id])["apps"]?.elements?.first
      return (try await scene.text(["why", ExplainScene.person.id]), report?["unreadReminders"]?.stringValue)
    }
    let before = try await state()
    try await scene.connection.script(
      """
      INSERT INTO unread_settings (user_id, app, is_enabled, gone_email)
      SELECT id, 'feedbackkit', true, email FROM users WHERE id = '\(ExplainScene.person.id)'
      """)
    let gone = try await state()
    try await scene.connection.script("UPDATE unread_settings SET is_enabled = false")
    let off = try await state()

    #expect([before.report, gone.report, off.report] == [nil, "no_mailbox", "off"])
    #expect(!before.words.contains("mailbox") && !before.words.contains("not reminded"))
    #expect(gone.words.contains(" · their address has no mailbox (no_mailbox)"))
    #expect(off.words.contains(" · not reminded of what stays unread"))
  }

  @Test func whatIsOlderOrOfAnotherAppIsLeftOut() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.vote(1, at: Self.ago(7_200))

    let short = try await scene.text(["why", "grace@example.com", "--since", "1h"])
    let other = try await scene.text(["why", "grace@example.com", "--app", "mugshot"])
    let long = try await scene.text(["why", "grace@example.com", "--since", "7d"])

    #expect(short.contains("Nothing was decided about them since") && other.contains("Nothing was decided"))
    #expect(long.contains("new vote  told"))
  }

  @Test func wrongWordsAreRefused() async throws {
    let scene = try await ExplainScene()

    let nobody = try await scene.run(["why", "nobody@example.com"])
    let bare = try await scene.run(["why"])
    let length = try await scene.run(["why", "grace@example.com", "--since", "yesterday"])
    let app = try await scene.run(["why", "grace@example.com", "--app", "x"])

    #expect(nobody.exit == 66 && nobody.stderr.contains("nobody@example.com"))
    #expect(bare.exit == 64 && length.exit == 64 && length.stderr.contains("15m") && app.exit == 64)
  }
}
