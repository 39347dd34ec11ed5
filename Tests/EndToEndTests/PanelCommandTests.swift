import FunctionKit
import Postgres
import TestSupport
import Testing

/// The data of the console's own pages of this bundle: `runner people`, `runner phones` and `runner explain`.
@Suite(.heavy)
struct PanelCommandTests {
  @Test func aTapOnAPhoneVotesAndItsRowComesBack() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()
    try await runner.database.script(
      """
      WITH proposal AS (
        INSERT INTO event_proposals (group_id, created_by, title, deadline)
        VALUES (
          'f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'Picnic', now() + '3 days')
        RETURNING id)
      INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at)
        SELECT gen_random_uuid(), id, now() + '4 days', now() + '4 days 2 hours' FROM proposal
      """)
    try await runner.wait(
      until: """
        EXISTS (SELECT FROM deliveries d JOIN notifications n ON n.id = d.notification_id
          WHERE d.user_id = 'a0000000-0000-4000-8000-000000000002' AND d.state = 'accepted'
            AND concat(n.title, n.body) LIKE '%Picnic%')
        """)

    let phones = try await json(runner, ["phones", "--user", "ben@example.com"])
    let phone = try #require(phones["phones"]?.elements?.first { $0["app"]?.stringValue == "lockitin" })
    let note = try #require(
      phone["notes"]?.elements?.first { $0["buttons"]?.elements?.first?["action"]?.stringValue == "VOTE_YES" })
    #expect(phone["person"]?["name"]?.stringValue == "Ben")
    #expect(phone["token"]?.stringValue == "c2c2c2c2" && phone["badge"]?.intValue == phone["counted"]?.intValue)
    #expect(
      note["title"]?.stringValue?.contains("Picnic") == true || note["body"]?.stringValue?.contains("Picnic") == true)
    let buttons = note["buttons"]?.elements?.compactMap { $0["action"]?.stringValue }
    #expect(buttons == ["VOTE_YES", "VOTE_MAYBE", "VOTE_NO", "MUTE_GROUP"])
    #expect(note["link"]?.stringValue?.hasPrefix("lockit://proposals/") == true)

    let id = try #require(note["notification"]?.stringValue)
    let device = try #require(phone["id"]?.stringValue)
    let refused = try await runner.run(
      ["phones", "tap", "--notification", id, "--device", device, "--action", "SNOOZE", "--json"])
    #expect(refused.exit == 64 && refused.stderr.contains("action must be one of VOTE_YES"), "\(refused)")
    _ = try await json(runner, ["phones", "tap", "--notification", id, "--device", device, "--action", "VOTE_YES"])
    try await runner.wait(
      until: """
        EXISTS (SELECT FROM proposal_votes WHERE user_id = 'a0000000-0000-4000-8000-000000000002' AND vote = 'yes')
          AND EXISTS (SELECT FROM handled_events WHERE function = 'proposal-vote-cast')
        """)
    #expect(try await runner.database.query("SELECT FROM api_tokens").isEmpty)
    let again = try await json(runner, ["phones", "--user", "ben@example.com"])
    let shown = again["phones"]?.elements?.first { $0["app"]?.stringValue == "lockitin" }
    let tapped = shown?["notes"]?.elements?.first { $0["notification"]?.stringValue == id }
    #expect(tapped?["done"]?.elements?.compactMap(\.stringValue).contains("VOTE_YES") == true)
    #expect(shown?["badge"]?.intValue == shown?["counted"]?.intValue)
    #expect((shown?["counted"]?.intValue ?? .max) < (phone["counted"]?.intValue ?? 0))
    let file = try await runner.run(["phones", "file", "--push", String(note["push"]?.intValue ?? 0)])
    #expect(file.stdout.contains("Simulator Target Bundle"), "\(file)")
  }

  @Test func aSearchFindsAPersonAndWhyTheyWereNotTold() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()
    try await runner.database.script(
      """
      INSERT INTO feedbacks (title, category, user_id, user_email, project_id)
      VALUES ('Night mode', 'feature_request', 'sdk-grace', 'grace@example.com', 'b0000000-0000-4000-8000-000000000001');
      INSERT INTO notification_settings (user_id, app, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES ('a0000000-0000-4000-8000-000000000004', 'feedbackkit', 'Europe/Berlin', true, '22:00', '07:00');
      UPDATE users SET push_notify_votes = false WHERE id = 'a0000000-0000-4000-8000-000000000004';
      """)
    try await runner.wait(
      until: "EXISTS (SELECT FROM decisions WHERE user_id = 'a0000000-0000-4000-8000-000000000004')")
    try await bundle.settle()

    let several = try await json(runner, ["people", "example.com"])
    let found = try await json(runner, ["people", "dan"])
    let latest = try await json(runner, ["explain", "--recent"])
    let nobody = try await json(runner, ["people", "100%_\\"])

    #expect((several["found"]?.elements?.count ?? 0) == 8 && several["page"] == nil)
    let page = try #require(found["page"])
    #expect(page["person"]?["email"]?.stringValue == "dan@example.com")
    let decision = try #require(page["decisions"]?.elements?.first)
    #expect(decision["outcome"]?.stringValue == "not_told")
    #expect(decision["words"]?.stringValue == "not told: they muted the project “Orbit” (project_muted)")
    let gates = decision["gates"]?.elements ?? []
    #expect(
      gates.count == 11 && gates.first { $0["verdict"]?.stringValue == "stopped" }?["title"]?.stringValue == "muted")
    let app = try #require(page["apps"]?.elements?.first)
    #expect(app["switchedOff"]?.elements?.compactMap(\.stringValue) == ["pushNotifyVotes"])
    let mutes = app["mutes"]?.elements ?? []
    #expect(mutes.map { $0["name"]?.stringValue } == ["Orbit"] && mutes[0]["place"]?.stringValue == "project")
    #expect(mutes[0]["level"]?.stringValue == "muted")
    #expect(try await runner.run(["people", "dan"]).stdout.contains("muted: project Orbit"))
    #expect(app["band"]?["zone"]?.stringValue == "Europe/Berlin")
    #expect((app["band"]?["quiet"]?.elements?.count ?? 0) >= 2)
    #expect(nobody["found"]?.elements?.isEmpty == true)

    // What the demo brings may have been handled in the same moment.
    let events = latest["events"]?.elements?.filter { $0["function"]?.stringValue == "feedback-created" } ?? []
    let event = try #require(
      events.first { event in
        event["people"]?.elements?.contains { $0["subjectName"]?.stringValue == "Night mode" } ?? false
      })
    let id = try #require(event["event"]?.stringValue)
    let told = event["people"]?.elements ?? []
    #expect((3...10).contains(told.count) && told.allSatisfy { $0["subjectName"]?.stringValue == "Night mode" })
    #expect(told.contains { $0["said"]?["title"]?.stringValue == "New Feedback" })
    #expect(told.contains { $0["outcome"]?.stringValue == "not_told" } && event["hasMore"] == nil)
    let counted = (event["counts"]?.elements ?? []).compactMap { $0["people"]?.intValue }
    #expect(told.count == counted.reduce(0, +))
    let explained = try await json(runner, ["explain", id, "--count", "3"])
    let handling = explained["handlings"]?.elements?.first
    #expect(handling?["people"]?.elements?.count == 3)
    #expect((handling?["counts"]?.elements ?? []).allSatisfy { $0["words"]?.stringValue?.isEmpty == false })
  }

  @Test func whatWaitsIsListedByPersonAndSubject() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    let console = ServedConsole(served: try await bundle.start(options: ["--console", "on"]).served)
    try await bundle.settle()
    try await runner.database.script(
      """
      DELETE FROM held_notifications;
      WITH waiting AS (
        INSERT INTO notifications (user_id, type, app, origin, family, family_subject, family_name, subject_id, title)
        SELECT 'a0000000-0000-4000-8000-000000000007', 'new_vote', 'feedbackkit', 'function', 'votes', subject,
          nullif(subject, 'three'), subject, nullif('About ' || subject, 'About three')
        FROM unnest(ARRAY['one', 'one', 'two', 'three', 'three']) AS subject RETURNING *)
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
        SELECT id, user_id, app, CASE subject_id WHEN 'two' THEN 'batched' WHEN 'three' THEN 'rate_limited'
          ELSE 'quiet_hours' END, push_now() + interval '2 hours', push_now() FROM waiting;
      """)

    let all = try await json(runner, ["people", "--waiting"])
    let first = try await json(runner, ["people", "--waiting", "--count", "1"])
    let text = try await runner.run(["people", "--waiting"]).stdout
    let clock = try await console.get("/_/console/clock?span=3h").text
    let phone = try await json(runner, ["phones", "--user", "grace"])["phones"]?.elements?.first

    let told = (all["waiting"]?.elements ?? []).map { one in
      "\(one["count"]?.intValue ?? 0) \(one["reason"]?.stringValue ?? "")"
    }
    #expect(told == ["1 batched", "2 quiet_hours", "2 rate_limited"], "\(all)")
    #expect(all["hasMore"] == RawJSON(false))
    #expect(first["waiting"]?.elements?.count == 1 && first["hasMore"] == RawJSON(true))
    #expect(text.contains("Grace") && text.contains(": 2 votes on one, told in one message at "), "\(text)")
    let sentences = ["2 votes on one, told in one message at", "vote on two, told at", "2 votes, told one by one at"]
    for sentence in sentences {
      #expect(clock.contains(">Grace</bdi></a>: <bdi>\(sentence)</bdi> <time"), "\(sentence): \(clock)")
    }
    let said = (all["waiting"]?.elements ?? []).map { one in
      one["said"]?.elements?.map { $0["title"]?.stringValue } ?? []
    }
    #expect(said == [["About two"], ["About one"], []], "each text once")
    // They are about nothing that is there.
    #expect(clock.ranges(of: ", but as things stand no push goes out then").count == 3, "\(clock)")
    #expect(all["waiting"]?.elements?.allSatisfy { $0["messages"]?.elements?.isEmpty == true } == true, "\(all)")
    let person = try await console.get("/_/console/people/a0000000-0000-4000-8000-000000000007").text
    #expect(person.contains("new vote on one waits: quiet hours, until "), "\(person)")
    let hour = try await console.get("/_/console/clock?span=1h").text
    #expect(!hour.contains("told in one message") && hour.contains("Nobody waits to be told until then."), "\(hour)")
    #expect(!clock.contains("Nobody waits to be told"), "\(clock)")
    #expect(phone?["waiting"]?.intValue == 5 && phone?["nextAt"]?.stringValue != nil, "\(String(describing: phone))")
  }

  @Test func phonesAreFoundByAPartOfANameAndAnAddressMeansOnePerson() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    let console = ServedConsole(served: try await bundle.start(options: ["--console", "on"]).served)
    try await runner.database.script("UPDATE users SET email = 'jordan@example.com' WHERE email = 'eva@example.com'")
    func owners(_ user: String) async throws -> [String] {
      try await json(runner, ["phones", "--user", user])["phones"]?.elements?.compactMap {
        $0["person"]?["name"]?.stringValue
      } ?? []
    }

    #expect(try await owners("dan@example.com") == ["Dan"])
    #expect(try await owners("dan") == ["Dan", "Eva", "Eva"])
    #expect(try await owners("A0000000-0000-4000-8000-000000000004") == ["Dan"])
    let nobody = try await runner.run(["phones", "--user", "nobody"])
    #expect(nobody.exit == 66 && nobody.stderr.contains("Nobody has “nobody” in their name"), "\(nobody)")
    let page = try await console.get("/_/console/phones?user=nobody")
    #expect(page.status == 200 && page.text.contains("Nobody has “nobody” in their name"))
    #expect(page.text.contains(#"name="user" value="nobody""#))
  }

  @Test func theNewestEventsAreCountedInPartEachWithItsParts() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()
    try await runner.database.script(
      """
      INSERT INTO handled_events (function, source, event_id, result, created_at)
        SELECT 'vote-cast', source, id, '{}', now() + interval '1 day' + number * interval '1 s'
        FROM (VALUES ('/a', 'many', 1), ('/a', 'one', 2), ('/b', 'one', 3), ('/a', 'parts', 4), ('/a', 'parts/lead', 5))
          AS v (source, id, number);
      INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, decision, reason, recipient_reason,
          created_at)
        SELECT 'vote-cast', v.source, v.id, u.id, 's', 'new_vote', 'suppress', 'project_muted', 'submitter', now()
        FROM (VALUES ('/a', 'one', 'ada'), ('/b', 'one', 'ben'), ('/a', 'parts', 'ben'), ('/a', 'parts/lead', 'ada'))
          AS v (source, id, who) JOIN users u ON u.email = v.who || '@example.com'
        UNION ALL SELECT 'vote-cast', '/a', 'many', gen_random_uuid(), 's', 'new_vote', 'suppress', 'project_muted',
          'submitter', now() FROM generate_series(1, 1100);
      """)

    let latest = try await json(runner, ["explain", "--recent"])["events"]?.elements ?? []
    let told = latest.prefix(4).map { event in
      let people = event["people"]?.elements?.compactMap { $0["person"]?["name"]?.stringValue } ?? []
      let counted = event["counts"]?.elements?.map { $0["people"]?.intValue ?? 0 } ?? []
      return "\(event["event"]?.stringValue ?? "") \(event["source"]?.stringValue ?? "") \(counted) \(people)"
    }
    #expect(told[0] == #"parts /a [2] ["Ben", "Ada"]"# && told[1] == #"one /b [1] ["Ben"]"#, "\(told)")
    #expect(told[2] == #"one /a [1] ["Ada"]"# && told[3] == "many /a [200] []", "\(told)")
    #expect(latest[3]["people"]?.elements?.count == 10 && latest[3]["hasMore"] == RawJSON(true))
    #expect(latest[..<3].allSatisfy { $0["hasMore"] == nil })
    let text = try await runner.run(["explain", "--recent"]).stdout
    #expect(text.contains(/many +200 [^,\n]*, and more\n/), "\(text)")
    #expect(try await json(runner, ["people", "dan", "--list"])["page"] == nil)
  }

  @Test func aFaultHitsTheNextPushesAndIsMended() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()

    _ = try await json(
      runner,
      ["phones", "fail", "--answer", "410", "--device", "dd000000-0000-4000-8000-000000000007", "--times", "2"])
    let faults = try await json(runner, ["phones"])["faults"]?.elements
    #expect(
      faults?.first?["words"]?.stringValue == "410 Unregistered" && faults?.first?["token"]?.stringValue == "a7a7a7a7")
    try await runner.database.script(
      """
      INSERT INTO votes (feedback_id, user_id, user_email)
      VALUES ('c0000000-0000-4000-8000-000000000001', 'sdk-ben', 'ben@example.com')
      """)
    try await runner.wait(
      until: "NOT (SELECT is_active FROM device_tokens WHERE id = 'dd000000-0000-4000-8000-000000000007')")
    _ = try await json(runner, ["phones", "mend"])
    #expect(try await json(runner, ["phones"])["faults"]?.elements?.isEmpty == true)
  }

  private func json(_ runner: RunningRunner, _ words: [String]) async throws -> RawJSON {
    let outcome = try await runner.run(words + ["--json"])
    try #require(outcome.exit == 0, "\(words): \(outcome.stdout) \(outcome.stderr)")
    return try RawJSON(validating: Array(outcome.stdout.utf8)[...])
  }
}
