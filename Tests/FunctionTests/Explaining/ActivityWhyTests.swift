import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport
import Testing

/// The words of `runner why` about Live Activities.
@Suite(.heavy)
struct ActivityWhyTests {
  private let start = ActivityScene.start

  /// Eva's phones, as the decision to ask her for her vote has them.
  private func phones(_ scene: ActivityScene, of person: Person = .eva) async throws -> [RawJSON] {
    let report = try await json(scene, ["why", "e1", "--user", person.id])
    return report.firstPerson?["activities"]?.elements ?? []
  }

  private func json(_ scene: ActivityScene, _ words: [String]) async throws -> RawJSON {
    try RawJSON(validating: Array(try await text(scene, words + ["--json"]).utf8)[...])
  }

  private func text(_ scene: ActivityScene, _ words: [String]) async throws -> String {
    let outcome = try await BuiltExecutables.run(
      "push", words, environment: ["DATABASE_URL": scene.demo.url])
    guard outcome.exit == 0 else { throw ExplainScene.Refusal(outcome: outcome) }
    return outcome.stdout
  }

  @Test func whatAPhoneShowsIsSaidFromItsStartToItsEnd() async throws {
    let scene = try await ActivityScene(asked: ScriptedClient(.accepted, status: 200))
    try await scene.check(at: start)
    let starting = try await phones(scene)
    try await scene.send(at: start)
    let started = try await phones(scene)
    try await scene.register(.eva, "e0a0e0a0", about: ActivityScene.proposal)
    try await scene.vote(by: .ada, "e2", at: start + 1)
    _ = try await scene.tell(at: start + 12)
    let updated = try await phones(scene)
    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'cancelled'")
    _ = try await scene.tell(at: start + 20)
    let ended = try await phones(scene)

    let states = [starting, started, updated, ended].map { $0.first?["state"]?.stringValue }
    #expect(states == ["starting", "started", "running", "ended"])
    #expect([updated, ended].map { $0.first?["updates"]?.intValue } == [1, 2])
    #expect(updated.first?["reason"]?.stringValue == "push" && ended.first?["reason"]?.stringValue == "ended")
    #expect(updated.first?["words"]?.stringValue?.contains("; 1 push since, the last at ") == true)
    #expect(try await text(scene, ["why", "e1", "--user", Person.eva.id]).contains("2 pushes since, the last at "))
    #expect(try await phones(scene, of: .ada).isEmpty, "she proposed it")
  }

  @Test func anActivityOfALargeGroupListensToAChannel() async throws {
    let scene = try await ActivityScene(asked: ScriptedClient(.accepted, status: 200))
    _ = try await scene.tell(at: start)
    try await scene.demo.connection.script(
      "UPDATE live_activities SET channel_id = gen_random_uuid() WHERE subject_id <> ''")

    let phone = try #require(try await phones(scene).first)

    #expect(phone["state"]?.stringValue == "running" && phone["reason"]?.stringValue == "channel")
    #expect(phone["words"]?.stringValue?.contains("listens to its group's channel") == true)
  }

  @Test func anActivityWhoseProposalCannotBeReadSaysSo() async throws {
    let scene = try await ActivityScene(asked: ScriptedClient(.accepted, status: 200))
    try await scene.register(.eva, "e0a0e0a0", about: ActivityScene.proposal)
    try await scene.demo.connection.script(
      """
      ALTER TABLE proposal_options ALTER COLUMN starts_at DROP NOT NULL;
      UPDATE proposal_options SET starts_at = NULL
      """)
    try await scene.check(at: start)
    let running = try await phones(scene).first
    try await scene.check(at: start + 86_400)
    let ended = try await phones(scene).first

    #expect(running?["state"]?.stringValue == "running" && running?["reason"]?.stringValue == "failing")
    #expect(running?["words"]?.stringValue?.contains("the proposal cannot be read; the first try failed at") == true)
    #expect(ended?["state"]?.stringValue == "ended" && ended?["reason"]?.stringValue == "failed")
  }

  @Test func aGateThatHoldsTodayIsNamedAsTodays() async throws {
    let scene = try await ActivityScene(asked: ScriptedClient(.accepted, status: 200))
    try await scene.demo.connection.script(
      "INSERT INTO activity_settings (user_id, app, is_enabled) VALUES ('\(Person.eva.id)', 'lockitin', false)")

    let words = try await phones(scene).first?["words"]?.stringValue

    #expect(words?.contains("switched Live Activities off, by today's settings (unwanted)") == true)
  }

  @Test func anActivityThatTheAppHasStartedIsTheApps() async throws {
    let scene = try await ActivityScene(asked: ScriptedClient(.accepted, status: 200))
    try await scene.register(.eva, "e0a0e0a0", about: ActivityScene.proposal)

    let phone = try #require(try await phones(scene).first)

    #expect(phone["state"]?.stringValue == "running" && phone["reason"]?.stringValue == "app")
  }

  @Test(arguments: [
    (ScriptedClient(.unknown), "unknown", nil),
    (
      ScriptedClient(.deviceGone(at: ActivityScene.start + 60), status: 410, reason: "Unregistered"), "refused",
      "Unregistered"
    ),
  ])
  func aStartThatDidNotArriveIsSaidWithItsAnswer(client: ScriptedClient, state: String, reason: String?) async throws {
    let scene = try await ActivityScene(asked: client)
    _ = try await scene.tell(at: start)

    let phone = try #require(try await phones(scene).first)

    #expect(phone["state"]?.stringValue == state && phone["reason"]?.stringValue == reason)
  }

  @Test(arguments: [
    ("SELECT", "waiting", "early"), ("UPDATE notifications SET type = upper(type)", "waiting", "early"),
    ("UPDATE decisions SET app = DEFAULT", "waiting", "early"),
    ("UPDATE device_tokens SET is_active = false WHERE user_id = '\(Person.eva.id)'", "absent", "not_active"),
    ("UPDATE live_activities SET attributes_type = 'Another'", "absent", "no_token"),
    ("UPDATE live_activities SET ended_at = now(), ended_reason = 'ExpiredToken'", "absent", "ExpiredToken"),
    (
      "INSERT INTO activity_settings (user_id, app, is_enabled) VALUES ('\(Person.eva.id)', 'lockitin', false)",
      "absent", "unwanted"
    ),
    ("UPDATE event_proposals SET status = 'cancelled'", "absent", "closed"),
    (
      "UPDATE event_proposals SET deadline = now() + interval '1 hour'; DELETE FROM activity_changes", "absent",
      "not_allowed"
    ),
    (
      """
      UPDATE event_proposals SET deadline = now() + interval '1 hour'; DELETE FROM activity_changes;
      INSERT INTO group_notification_preferences (user_id, group_id, notification_level)
      SELECT '\(Person.eva.id)', group_id, 'muted' FROM event_proposals LIMIT 1
      ON CONFLICT (user_id, group_id) DO UPDATE SET notification_level = 'muted'
      """, "absent", "project_muted"
    ),
    (
      """
      UPDATE event_proposals SET deadline = now() + interval '1 hour';
      UPDATE activity_changes SET due_at = now() + interval '30 minutes'
      """, "waiting", nil
    ),
  ])
  func aPhoneWithoutAnActivitySaysWhy(change: String, state: String, reason: String?) async throws {
    let scene = try await ActivityScene(asked: ScriptedClient(.accepted, status: 200))
    try await scene.demo.connection.script(change)

    let phone = try #require(try await phones(scene).first)

    #expect(phone["state"]?.stringValue == state && phone["reason"]?.stringValue == reason)
    #expect((phone["at"] != nil) == (state == "waiting"))
    #expect(try await text(scene, ["why", "e1", "--user", Person.eva.id]).contains("  Live Activity on "))
  }

  @Test func nothingIsSaidWhereTheAppHasNone() async throws {
    let scene = try await ActivityScene(asked: ScriptedClient(.accepted, status: 200))
    try await scene.demo.connection.script("DELETE FROM live_activities")

    #expect(try await phones(scene).isEmpty)
  }

  @Test func aPersonsStateSaysWhetherAndWhereTheyCanStart() async throws {
    let scene = try await ActivityScene(asked: ScriptedClient(.accepted, status: 200))
    let eva = ["why", Person.eva.id, "--app", "lockitin"]
    let before = try await json(scene, eva)["apps"]?.elements?.first
    let text = try await text(scene, eva)
    try await scene.demo.connection.script(
      """
      DELETE FROM live_activities;
      INSERT INTO activity_settings (user_id, app, is_enabled) VALUES ('\(Person.eva.id)', 'lockitin', false)
      """)
    let after = try await json(scene, eva)["apps"]?.elements?.first

    #expect(before?["liveActivities"] == RawJSON(true) && after?["liveActivities"] == RawJSON(false))
    let devices = [before, after].map { $0?["devices"]?.elements?.map { $0["startsActivities"] } }
    #expect(devices == [[RawJSON(true)], [RawJSON(false)]])
    #expect(text.contains(", Live Activities can be started"))
    #expect(try await self.text(scene, eva).contains(" · Live Activities switched off"))
  }

  @Test func appsWithoutLiveActivitiesSayNothingOfThem() async throws {
    let scene = try await ExplainScene()
    let vote = try await scene.policy.vote(1, at: Demo.now)

    let report = try await scene.json(["why", scene.event(vote)])
    let state = try await scene.json(["why", ExplainScene.person.id, "--app", "feedbackkit"])["apps"]?.elements?.first

    #expect(report.firstPerson != nil && report.firstPerson?["activities"] == nil)
    #expect(state != nil && state?["liveActivities"] == nil)
    #expect(state?["devices"]?.elements?.first?["startsActivities"] == nil)
  }
}
