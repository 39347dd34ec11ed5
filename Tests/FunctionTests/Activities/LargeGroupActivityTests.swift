import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushPayload
import TestSupport
import Testing

/// Live Activities of a group that is large enough for a broadcast channel.
@Suite(.heavy)
struct LargeGroupActivityTests {
  private static let channel = "Y2hhbm5lbA=="
  private let client = ScriptedClient(.accepted, status: 200)
  private let start = ActivityScene.start

  /// Eva's phone can listen to a channel; 21 people are in her group.
  private func scene(_ members: Int = 21, _ change: String = "") async throws -> ActivityScene {
    let scene = try await ActivityScene(asked: client)
    try await scene.demo.connection.script(
      """
      INSERT INTO users (id, email, name)
      SELECT md5('member ' || n)::uuid, 'm' || n || '@example.com', 'M' FROM generate_series(1, \(members)) AS n;
      INSERT INTO group_members (group_id, user_id)
      SELECT '\(Demo.group)', md5('member ' || n)::uuid
      FROM generate_series(
        1, \(members) - (SELECT count(*) FROM group_members WHERE group_id = '\(Demo.group)')) AS n;
      UPDATE device_tokens SET platform = 'iOS', os_version = '18.1', environment = 'sandbox', bundle_id = 'com.lockit.app'
      WHERE app = 'lockitin';
      \(change)
      """)
    return scene
  }

  /// Eva's activity listens to the channel.
  private func listening() async throws -> ActivityScene {
    let scene = try await scene()
    try await scene.check(at: start)
    try await live(scene)
    try await scene.check(at: start + 5)
    _ = try await scene.send(at: start + 5)
    return scene
  }

  /// APNs has made the channel.
  private func live(_ scene: ActivityScene) async throws {
    try await scene.demo.connection.script(
      "UPDATE activity_channels SET state = 'live', channel = '\(Self.channel)'")
  }

  private func row(_ scene: ActivityScene) async throws -> Row {
    try await scene.demo.connection.query(
      "SELECT c.*, extract(epoch FROM expires_at)::bigint AS ends FROM activity_channels c"
    ).only()
  }

  private func content(_ row: Row) throws -> RawJSON {
    try RawJSON(validating: Array((row["wanted"] ?? "").utf8)[...])
  }

  private func listeners(_ scene: ActivityScene) async throws -> Int {
    try await scene.demo.number(
      "SELECT count(*) FROM live_activities a JOIN activity_channels c ON c.id = a.channel_id WHERE a.subject_id <> ''")
  }

  @Test func aStartWaitsForItsChannelAndNamesIt() async throws {
    let scene = try await scene()

    let first = try await scene.check(at: start)
    #expect(first.started == 0 && first.wakeAt == start + 5)
    let asked = try await row(scene)
    #expect(asked["state"] == "asked" && asked["topic"] == "com.lockit.app" && asked["environment"] == "sandbox")
    #expect(asked["subject_id"] == Demo.proposal && asked["attributes_type"] == ActivityScene.type)
    #expect(try asked.decode("ends") == Int(ActivityScene.deadline.timeIntervalSince1970))
    try await live(scene)

    #expect(try await scene.check(at: start + 5).started == 1)
    let sent = try #require(try await scene.send(at: start + 5).first)
    #expect(sent.event == "start" && sent["input-push-channel"]?.stringValue == Self.channel)
    #expect(sent["input-push-token"] == nil && sent.push.isOnce)
    #expect(try await listeners(scene) == 1)
  }

  @Test func aStartWaitsNoLongerThanAMinute() async throws {
    let scene = try await scene()
    try await scene.check(at: start)
    try await scene.demo.connection.script("UPDATE activity_channels SET state = 'creating'")

    #expect(try await scene.check(at: start + 59).started == 0)
    #expect(try await scene.check(at: start + 60).started == 1)
    let sent = try #require(try await scene.send(at: start + 60).first)
    #expect(sent["input-push-token"]?.intValue == 1 && sent["input-push-channel"] == nil)
    #expect(try await listeners(scene) == 0)
  }

  /// The content with which an activity with a token of its own starts.
  @Test(
    arguments: [
      "UPDATE device_tokens SET os_version = '17.5'", "UPDATE device_tokens SET os_version = NULL",
      "UPDATE device_tokens SET os_version = 'unknown'", "UPDATE device_tokens SET bundle_id = NULL",
      "UPDATE device_tokens SET environment = NULL", "UPDATE device_tokens SET bundle_id = '../x y'",
      "UPDATE device_tokens SET platform = 'macOS', os_version = '26'",
      "DELETE FROM group_members WHERE user_id = md5('member 1')::uuid",
    ])
  func aDeviceOrGroupWithoutAChannelStartsAtOnce(change: String) async throws {
    let scene = try await scene(21, change)

    let sent = try await scene.tell(at: start)

    #expect(sent.map { $0["input-push-token"]?.intValue } == [1])
    #expect(try await scene.demo.number("SELECT count(*) FROM activity_channels") == 0)
  }

  @Test(arguments: ["refused", "ended", "closing", "gone"])
  func aChannelThatIsNotLiveIsNotNamed(state: String) async throws {
    let scene = try await scene()
    try await scene.check(at: start)
    try await live(scene)
    #expect(try await scene.check(at: start + 5).started == 1)
    try await scene.demo.connection.script("UPDATE activity_channels SET state = '\(state)'")

    let sent = try await scene.send(at: start + 5)

    #expect(sent.map { $0["input-push-token"]?.intValue } == [1])
    #expect(try await listeners(scene) == 0)
  }

  @Test func twoRunsAtOnceAskForOneChannel() async throws {
    let scene = try await scene()
    try await scene.demo.connection.script(
      "INSERT INTO activity_changes (app, subject_id, due_at) VALUES ('lockitin', '\(Demo.proposal)', '2026-01-01')")

    async let one = scene.check(at: start)
    async let other = scene.check(at: start)

    #expect(try await one.started + other.started == 0)
    #expect(try await row(scene)["state"] == "asked")
  }

  @Test func aVoteIsSaidOnceInTheChannelAndToNobodyAlone() async throws {
    let scene = try await listening()
    #expect(try await row(scene)["wanted"] == nil)
    try await scene.vote(by: .ada, "e2", at: start + 20)

    #expect(try await scene.check(at: start + 31).told == 1)
    let told = try await row(scene)
    #expect(told["wanted_event"] == "update" && told["wanted_priority"] == "5")
    #expect(try content(told)["votes"]?.intValue == 2)
    #expect(try told.decode("wanted_stamp") == Int(start.timeIntervalSince1970) + 31)
    #expect(try await scene.send(at: start + 31).isEmpty)

    try await scene.demo.connection.script(
      "INSERT INTO activity_changes (app, subject_id, due_at) VALUES ('lockitin', '\(Demo.proposal)', '2026-01-01')")
    #expect(try await scene.check(at: start + 40).told == 0)
    #expect(try await row(scene)["wanted_stamp"] == told["wanted_stamp"])
  }

  @Test func whatAChannelSaysIsNewerThanItsStarts() async throws {
    let scene = try await listening()
    try await scene.demo.connection.script("UPDATE live_activities SET stamp = stamp + 1000 WHERE subject_id <> ''")
    try await scene.vote(by: .ada, "e2", at: start + 20)

    try await scene.check(at: start + 31)

    let stamp: Int = try await row(scene).decode("wanted_stamp")
    #expect(try await scene.demo.number("SELECT max(stamp) FROM live_activities") == stamp - 1)
  }

  @Test func theChannelEndsAtTheDeadline() async throws {
    let scene = try await listening()

    #expect(try await scene.check(at: ActivityScene.deadline).told == 1)

    let ended = try await row(scene)
    #expect(ended["wanted_event"] == "end" && ended["wanted_priority"] == "10")
    #expect(try content(ended)["status"]?.stringValue == "closed")
    #expect(try await scene.ends() == [""])
    #expect(try await scene.send(at: ActivityScene.deadline).isEmpty)
  }

  /// The end is said, as `activity-channels` writes it.
  private func said(_ scene: ActivityScene, at time: Date) async throws {
    let store = ChannelStore(scene.demo.connection(of: "activity-channels"))
    let id: UUID = try await row(scene).decode("id")
    guard case .say(let saying, _) = try await store.next(id, at: time)?.deed else {
      Issue.record("nothing is to be said")
      return
    }
    try await store.said(saying, row: id, at: time)
  }

  @Test func theChannelIsDeletedWhenNoPhoneCanWantItsEnd() async throws {
    let scene = try await listening()
    let end = ActivityScene.deadline
    try await scene.check(at: end)
    try await said(scene, at: end)
    #expect(try await row(scene)["state"] == "ended")
    #expect(try await scene.ends() == ["ended"])

    #expect(try await scene.check(at: end + 1).wakeAt == end + 12 * 3_600)
    #expect(try await row(scene)["state"] == "ended")
    try await scene.check(at: end + 12 * 3_600)
    #expect(try await row(scene)["state"] == "closing")
    #expect(try await scene.check(at: end + 13 * 3_600).wakeAt == nil)
  }

  @Test func whatIsConfirmedWhileItsEndIsShownIsSaidInTheChannel() async throws {
    let scene = try await listening()
    let end = ActivityScene.deadline
    try await scene.check(at: end)
    try await said(scene, at: end)
    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'confirmed'")
    try await scene.demo.connection.script(
      "INSERT INTO activity_changes (app, subject_id, due_at) VALUES ('lockitin', '\(Demo.proposal)', '2026-01-01')")

    #expect(try await scene.check(at: end + 600).told == 1)
    let told = try await row(scene)
    #expect(told["wanted_event"] == "end" && told["state"] == "ended")
    #expect(try content(told)["status"]?.stringValue == "confirmed")
    try await said(scene, at: end + 600)

    try await scene.check(at: end + 12 * 3_600)
    #expect(try await row(scene)["state"] == "ended")
    try await scene.check(at: end + 600 + 12 * 3_600)
    #expect(try await row(scene)["state"] == "closing")
  }

  @Test func theChannelOfAProposalThatIsDeletedEndsWithNothingNew() async throws {
    let scene = try await listening()
    try await scene.demo.connection.script("DELETE FROM event_proposals")

    #expect(try await scene.check(at: start + 60).told == 1)

    let ended = try await row(scene)
    #expect(ended["wanted_event"] == "end")
    #expect(try content(ended)["status"]?.stringValue == "cancelled")
    #expect(try content(ended)["votes"]?.intValue == 1)
  }

  @Test func aChannelThatNobodyListensToEndsToo() async throws {
    let scene = try await scene()
    try await scene.check(at: start)
    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'cancelled'")

    #expect(try await scene.check(at: start + 1).told == 1)
    #expect(try await row(scene)["wanted_event"] == "end")
  }

  @Test(arguments: [("live", false), ("gone", true)])
  func silentCountsStayAwayWhileTheChannelIsLive(state: String, isCounted: Bool) async throws {
    let scene = try await listening()
    try await scene.vote(by: .eva, "e2", at: start + 10)
    try await scene.demo.connection.script(
      """
      UPDATE group_notification_preferences SET notification_level = 'all';
      UPDATE activity_channels SET state = '\(state)'
      """)
    try await scene.vote(by: .ada, "e3", at: start + 20)

    _ = try await scene.tell(at: start + 31)

    let isTold = client.pushes.contains { $0.pushType == "background" && $0.device.token.hasPrefix("c5") }
    #expect(isTold == isCounted)
  }

  @Test func anActivityThatGetsATokenLeavesTheChannel() async throws {
    let scene = try await listening()
    try await scene.register(.eva, "e0a0e0a0", about: ActivityScene.proposal, at: start + 10)
    try await scene.vote(by: .ada, "e2", at: start + 20)

    #expect(try await scene.tell(at: start + 31).map(\.push.device.token) == ["e0a0e0a0"])
    #expect(try await row(scene)["wanted"] == nil)
    #expect(try await listeners(scene) == 0)
  }

  @Test func eachVoteThatChangesSomethingIsOneBroadcastMore() async throws {
    let scene = try await listening()
    try await scene.vote(by: .ada, "e2", at: start + 20)
    #expect(try await scene.check(at: start + 31).told == 1)
    let first: Int = try await row(scene).decode("wanted_stamp")

    try await scene.vote(by: .eva, "e3", at: start + 40)
    #expect(try await scene.check(at: start + 51).told == 1)
    let second = try await row(scene)
    #expect(try second.decode("wanted_stamp") == first + 20)
    #expect(try content(second)["votes"]?.intValue == 3)

    try await scene.vote(by: .eva, "e4", at: start + 60)
    try await scene.demo.connection.script(
      "INSERT INTO activity_changes (app, subject_id, due_at) VALUES ('lockitin', '\(Demo.proposal)', '2026-01-01')")
    let unchanged = try await scene.check(at: start + 71)
    #expect(unchanged.subjects == 1 && unchanged.told == 0)
    #expect(try await row(scene)["wanted_stamp"] == second["wanted_stamp"])
  }

  @Test func aChannelWhoseEndAPNsDoesNotTakeIsDeletedWhenNoPhoneCanWantIt() async throws {
    let scene = try await listening()
    let end = ActivityScene.deadline
    try await scene.check(at: end)

    #expect(try await scene.check(at: end + 1).wakeAt == end + 12 * 3_600)
    #expect(try await row(scene)["state"] == "live")
    #expect(try await scene.ends() == [""])
    async let one = scene.check(at: end + 12 * 3_600)
    async let other = scene.check(at: end + 12 * 3_600)
    #expect(try await one.told + other.told == 0)
    let closed = try await row(scene)
    #expect(closed["state"] == "closing" && closed["reason"] == "end not taken")
    #expect(try await scene.ends() == ["unsaid"])
    #expect(try await scene.check(at: end + 13 * 3_600).wakeAt == nil)
  }

  @Test func aProposalThatIsOpenAgainBeforeAPNsHasTakenItsEndUsesTheSameChannel() async throws {
    let scene = try await listening()
    let end = ActivityScene.deadline
    try await scene.check(at: end)
    try await scene.demo.connection.script(
      "UPDATE event_proposals SET deadline = deadline + interval '1 day' WHERE id = '\(Demo.proposal)'")

    #expect(try await scene.check(at: end + 12 * 3_600).told == 1)

    let open = try await row(scene)
    #expect(open["state"] == "live" && open["wanted_event"] == "update")
    #expect(try content(open)["status"]?.stringValue == "open")
    #expect(try await scene.ends() == [""])
  }

  @Test func theChannelOfAProposalThatCanNeverBeReadIsDeletedAfterADay() async throws {
    let scene = try await listening()
    try await scene.demo.connection.script(
      """
      ALTER TABLE proposal_options ALTER COLUMN starts_at DROP NOT NULL;
      UPDATE proposal_options SET starts_at = NULL;
      INSERT INTO activity_changes (app, subject_id, due_at) VALUES ('lockitin', '\(Demo.proposal)', '2026-01-01')
      """)

    try await scene.check(at: start + 10)
    try await scene.check(at: start + 10 + 86_399)
    #expect(try await row(scene)["state"] == "live")
    try await scene.check(at: start + 10 + 86_400)

    let closed = try await row(scene)
    #expect(closed["state"] == "closing" && closed["reason"] == "failed")
    #expect(try await scene.ends() == ["failed"])
  }
}
