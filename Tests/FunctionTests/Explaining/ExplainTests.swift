import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

/// `runner why` on scenes that the functions themselves have built.
@Suite(.heavy)
struct ExplainTests {
  private static let noon = RFC3339.date("2026-06-15T12:00:00Z") ?? .distantPast
  private static let night = RFC3339.date("2026-06-15T21:10:00Z") ?? .distantPast

  @Test func whatIsHeldNamesTheHoursAndWhatCameOfIt() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("quiet_hours_enabled = true, timezone = 'Europe/Berlin'")
    let event = scene.event(try await scene.policy.vote(1, at: Self.night))

    let held = try await scene.text(["why", event])
    _ = try await scene.policy.release(at: Self.night + 9 * 3_600)
    // No matter what is switched later, the decision was made by the switches of then.
    try await scene.policy.set("quiet_hours_enabled = false")
    try await scene.deliver(at: Self.night + 9 * 3_600)
    let released = try await scene.text(["why", event])

    #expect(held.contains("Grace <grace@example.com>, a submitter: waits until 16 Jun, 08:00: quiet hours"))
    #expect(held.contains("(2026-06-15 23:10:00 Europe/Berlin)"))
    #expect(held.contains("10 quiet hours        22:00–08:00 Europe/Berlin, it was 23:10"))
    #expect(held.contains("HELD until 16 Jun, 08:00") && held.contains("  11 not asked any more"))
    #expect(held.contains("It still waits: due at 16 Jun, 08:00."))
    #expect(released.contains("waited until 16 Jun, 08:00: quiet hours; then told (2026"))
    #expect(released.contains("HELD until 16 Jun, 08:00") && !released.contains("still waits"))
    #expect(released.matches(of: /16 Jun, 08:10:[0-5][0-9]  released: told/).count == 1)
    #expect(
      released.contains("16 Jun, 08:10:00  iOS a7a7a7a7…  APNs 503 ServiceUnavailable: asked us to wait, after 41 ms"))
    #expect(released.contains("16 Jun, 08:25:00  iOS a7a7a7a7…  APNs 200: accepted, after 41 ms"))
    #expect(!released.contains("a7a7a7a7a"), "no more of a token than its beginning")
  }

  @Test func aPushThatCannotBeSentSaysSinceWhenAndWhy() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("timezone = 'Europe/Berlin'")
    let event = scene.event(try await scene.policy.vote(1, at: Self.noon))
    let refusal = "the proxy proxy.corp:3128 refused: HTTP/1.1 407 Proxy Authentication Required"
    let since = Self.noon + 400
    let away = try await scene.connection.query(
      "UPDATE deliveries SET outage = \(refusal), outage_since = \(since) WHERE state = 'queued' RETURNING id")
    #expect(away.count > 0)

    let text = try await scene.text(["why", event])
    let push = try await scene.text(["why", event, "--json"])
    let email = "grace@example.com"
    let asked = ["why", "people"].map { [$0, email, "--since", "3650d"] }
    for words in asked {
      let person = try await scene.text(words)
      #expect(person.contains("; queued for 1 device, could not be sent since 14:06: \(refusal)  ["), "\(person)")
    }

    #expect(text.contains("14:06:40  iOS a7a7a7a7…  could not be sent since: \(refusal)"), "\(text)")
    #expect(push.contains("2026-06-15T12:06:40") && push.contains("407 Proxy Authentication Required"), "\(push)")
  }

  /// LockItIn's own table takes any word, and one that nobody knows means `all`.
  @Test func aWordOfTheAppsOwnSpoilsNoReport() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script(
      """
      ALTER TABLE group_notification_preferences DROP CONSTRAINT group_notification_level;
      INSERT INTO group_notification_preferences (user_id, group_id, notification_level)
      SELECT user_id, group_id, 'mentions' FROM group_members WHERE user_id = '\(Person.eva.id)'
      ON CONFLICT (user_id, group_id) DO UPDATE SET notification_level = 'mentions'
      """)

    let unknown = try await scene.text(["people", "\(Person.eva.id)"])
    try await scene.connection.script("UPDATE group_notification_preferences SET notification_level = 'important'")
    let known = try await scene.text(["people", "\(Person.eva.id)"])

    #expect(unknown.contains("lockitin") && unknown != known)
  }

  /// Each reason by its cause: the gate that stopped, by its number, and the words that go with it.
  @Test(
    arguments: [
      (
        "INSERT INTO project_member_preferences (user_id, project_id, push_muted) SELECT u.id, f.project_id, true", 3,
        "the project is muted", "project_muted"
      ),
      ("UPDATE users u SET push_notifications_enabled = false", 2, "they switched all notifications off", "disabled"),
      ("UPDATE users u SET push_notify_votes = false", 4, "new vote is switched off", "type_disabled"),
      (
        """
        INSERT INTO user_activity (user_id, app, subject_id, seen_at)
        SELECT u.id, 'feedbackkit', f.id::text, '2026-06-15T11:59:30Z'
        """, 7, "they were looking at it just then", "viewing"
      ),
      ("DELETE FROM device_tokens d USING users u", 8, "no active device with the app", "no_device"),
    ])
  func whoeverIsNotToldLearnsWhy(change: String, number: Int, input: String, reason: String) async throws {
    let scene = try await ExplainScene()
    let rest =
      change.hasPrefix("INSERT")
      ? " FROM users u, feedbacks f WHERE u.id = '\(ExplainScene.person.id)' AND f.id = '\(RowEvent.feedback)'"
      : change.hasPrefix("DELETE")
        ? " WHERE d.user_id = u.id AND u.id = '\(ExplainScene.person.id)'" : " WHERE u.id = '\(ExplainScene.person.id)'"
    try await scene.connection.script(change + rest)
    let event = scene.event(try await scene.policy.vote(1, at: Self.noon))

    let person = try #require(try await scene.json(["why", event]).firstPerson)
    let text = try await scene.text(["why", event])

    #expect(person["verdict"]?["reason"]?.stringValue == reason)
    #expect(person.stopper?["number"]?.intValue == number && person.stopper?["input"]?.stringValue == input)
    #expect(text.contains(input) && text.contains("STOPPED") && text.contains("(\(reason))"))
    let gates = person["gates"]?.elements?.compactMap { $0["verdict"]?.stringValue } ?? []
    #expect(gates.count == 11 && gates.prefix(number - 1).allSatisfy { $0 == "passed" })
    #expect(gates.dropFirst(number).allSatisfy { $0 == "not_asked" })
  }

  @Test func theProjectThatIsMutedIsNamedAndToldFromItsNamesake() async throws {
    let scene = try await ExplainScene()
    let (person, orbit) = (ExplainScene.person.id, "b0000000-0000-4000-8000-000000000001")
    try await scene.connection.script(
      """
      INSERT INTO project_member_preferences (user_id, project_id, push_muted) VALUES ('\(person)', '\(orbit)', true)
      """)
    let event = scene.event(try await scene.policy.vote(1, at: Self.noon))
    let alone = try await scene.json(["why", event])
    try await scene.connection.script(
      """
      INSERT INTO projects (id, name, api_key, owner_id)
      SELECT 'c1c1c1c1-0000-4000-8000-000000000001', name, 'another key', owner_id FROM projects WHERE id = '\(orbit)';
      INSERT INTO project_member_preferences (user_id, project_id, push_muted)
      VALUES ('\(person)', 'c1c1c1c1-0000-4000-8000-000000000001', true)
      """)

    let (text, page) = (try await scene.text(["why", event]), try await scene.text(["people", "\(person)"]))
    #expect(alone.firstPerson?["mutedPlace"]?.stringValue == "Orbit")
    #expect(alone.firstPerson?["words"]?.stringValue == "not told: they muted the project “Orbit” (project_muted)")
    #expect(text.contains("not told: they muted the project “Orbit (b0000000)” (project_muted)"), "\(text)")
    #expect(page.contains("project Orbit (b0000000)") && page.contains("project Orbit (c1c1c1c1)"), "\(page)")
  }

  @Test func whatWasGatheredNamesTheNotificationThatTellsIt() async throws {
    let scene = try await ExplainScene()
    var events: [String] = []
    for number in 0..<3 {
      events.append(scene.event(try await scene.policy.vote(number, at: Self.noon + Double(number) * 60)))
    }
    _ = try await scene.policy.release(at: Self.noon + 600)

    let first = try await scene.text(["why", events[0]])
    let second = try await scene.text(["why", events[1]])
    let last = try await scene.text(["why", events[2]])

    #expect(first.contains("iOS a7a7a7a7…  queued") && !first.contains("Told in one"))
    #expect(first.contains(": told; later told in one message with 2 others ("))
    #expect(second.contains("waited until 12:10 for others like it; then told in one message with 2 others"))
    #expect(second.contains("one like it went out just before; gathered until 12:10"))
    #expect(second.matches(of: /12:10:[0-5][0-9]  released: told in one message with 2 others\n/).count == 1)
    #expect(second.contains("Told in one message with notification ") && second.contains("iOS a7a7a7a7…  queued"))
    #expect(last.matches(of: /12:10:[0-5][0-9]  released: told in one message with 2 others\n/).count == 1)
  }

  @Test func aLimitCountsThePushesOfTheHour() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("hourly_limit = 1")
    try await scene.policy.vote(1, at: Self.noon)
    let event = scene.event(try await scene.policy.vote(2, at: Self.noon + 660))

    let text = try await scene.text(["why", event])
    let until = try await scene.json(["why", event]).firstPerson?["verdict"]?["until"]?.stringValue

    #expect(text.contains("1 of 1 push in the last hour"))
    #expect(text.contains("waits until 13:00: as many pushes an hour as they want"))
    #expect(until == "2026-06-15T13:00:00.000Z")
  }

  @Test func whatNobodyKnowsSaysWhereToLook() async throws {
    let scene = try await ExplainScene()

    let unknown = try await scene.run(["why", "9.9"])
    let nobody = try await scene.run(["why", "9.9", "--user", "who@example.com"])
    let nothing = try await scene.run(["why"])
    let odd = try await scene.run(["why", "9.9", "--loud"])

    #expect(unknown.exit == 66 && unknown.stderr.contains("nobody is registered as 9.9"))
    #expect(nobody.exit == 66 && nobody.stderr.contains("Nobody is registered as who@example.com"))
    #expect(nothing.exit == 64 && odd.exit == 64 && odd.stderr.contains("--loud"))
  }

  @Test func anEventAboutWhatIsGoneConcernsNobody() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script("DELETE FROM votes")
    _ = try await scene.policy.demo.run(voteCast(scene), on: RowEvent.voteCast(), at: Self.noon)

    let text = try await scene.text(["why", "e1"])

    #expect(text.contains("No candidates: what it was about is gone (subject_gone)."))
  }

  @Test func aRowFromBeforeItsInputsWereRecordedSaysSo() async throws {
    let scene = try await ExplainScene()
    try await scene.connection.script("UPDATE users SET push_notify_votes = false")
    let event = scene.event(try await scene.policy.vote(1, at: Self.noon))
    try await scene.connection.script("UPDATE decisions SET facts = NULL")

    let text = try await scene.text(["why", event])

    #expect(text.contains("not told: this kind is switched off for them (type_disabled)"))
    #expect(text.contains("The gates' inputs were not recorded at that time."))
  }

  @Test func whatAMuteHoldsNamesItsEnd() async throws {
    let scene = try await ExplainScene()
    try await scene.policy.set("timezone = 'Europe/Berlin'")
    func mute(_ scope: String, _ target: String, until end: SQL) async throws {
      _ = try await scene.connection.query(
        """
        INSERT INTO notification_mutes (user_id, scope, target, muted_until)
        VALUES (\(scene.policy.person), \(scope), \(target), \(end))
        """)
    }
    try await mute("app", "feedbackkit", until: "\(Self.noon + 3_600)")
    let event = scene.event(try await scene.policy.vote(1, at: Self.noon))

    let held = try await scene.text(["why", event])
    try await mute("project", "b0000000-0000-4000-8000-000000000001", until: "now() + interval '1 hour'")
    let person = try await scene.text(["why", "grace@example.com"])

    #expect(held.contains("waits until 15:00: they muted it for a while"))
    #expect(held.contains("10 quiet hours        muted until 15:00"))
    #expect(person.contains(" · project ") && person.contains(" muted until ") && !person.contains("the app muted"))
  }
}
