import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import PushPayload
import TestSupport
import Testing

@testable import LiveActivities

/// A proposal of LockItIn on the lock screen while it is open.
@Suite(.heavy)
struct LiveActivityTests {
  private let client = ScriptedClient(.accepted, status: 200)
  private let start = ActivityScene.start

  @Test func whoIsAskedForAVoteSeesTheProposalOnTheirLockScreen() async throws {
    let scene = try await ActivityScene(asked: client)

    #expect(try await scene.check(at: start).started == 1)
    let sent = try #require(try await scene.send(at: start).first)

    #expect(sent.event == "start" && sent.push.device.token == "5eed5eed" && sent.push.priority == 10)
    #expect(sent.push.isOnce && sent.push.badge == nil)
    #expect(sent["attributes-type"]?.stringValue == ActivityScene.type)
    #expect(sent["attributes"]?["title"]?.stringValue == "Game Night")
    #expect(sent["alert"]?["title"]?.stringValue == "Ada proposed Game Night")
    #expect(sent.status == "open" && sent.votes == 1)
    #expect(sent["content-state"]?["deadline"]?.intValue == Int(ActivityScene.deadline.timeIntervalSince1970))
    #expect(sent["stale-date"]?.intValue == Int(ActivityScene.deadline.timeIntervalSince1970))
    #expect(try await scene.states() == ["accepted"])
  }

  @Test func nobodyGetsAStartTwice() async throws {
    let scene = try await ActivityScene(asked: client)
    #expect(try await scene.tell(at: start).count == 1)

    try await scene.propose("again")
    try await scene.demo.connection.script(
      """
      INSERT INTO activity_changes (app, subject_id, due_at) SELECT 'lockitin', '\(Demo.proposal)', '2026-01-01';
      UPDATE notifications SET pushed_at = NULL WHERE type = 'proposal_created';
      UPDATE notifications SET pushed_at = '\(RFC3339.string(start))' WHERE type = 'proposal_created'
      """)

    #expect(try await scene.check(at: start + 60).started == 0)
    #expect(try await scene.send(at: start + 60).isEmpty)
  }

  @Test func aStartWhoseAnswerWasLostIsNotSentAgain() async throws {
    let unanswered = ScriptedClient(.unknown)
    let scene = try await ActivityScene(asked: unanswered)

    #expect(try await scene.tell(at: start).count == 1)
    #expect(try await scene.tell(at: start + 3_600).isEmpty)

    #expect(try await scene.states() == ["unknown"])
  }

  @Test func aStartWhoseSenderDiedIsNotSentAgain() async throws {
    let scene = try await ActivityScene(asked: client)
    try await scene.check(at: start)
    let dead = DeliveryStore.postgres(Connection(url: scene.demo.url, applicationName: "dead"))
    _ = try await dead.claim(500, [.apns], start)
    try await scene.demo.connection.script("UPDATE deliveries SET lease_until = now() - interval '1 second'")

    #expect(try await scene.send(at: start + 120).isEmpty)
    #expect(try await scene.states() == ["unknown Unsettled"])
  }

  @Test func aStartThatWasRefusedForNowIsSentAgain() async throws {
    let busy = ScriptedClient(.retryLater(atLeast: nil), status: 503, reason: "ServiceUnavailable")
    let scene = try await ActivityScene(asked: busy)

    #expect(try await scene.tell(at: start).count == 1)
    #expect(try await scene.tell(at: start + 3_600).count == 1)
  }

  @Test func aDryRunStartsNothingAndLeavesTheChange() async throws {
    let scene = try await ActivityScene(asked: client)
    let connection = Connection(url: scene.demo.url, applicationName: "rehearsal")

    let rehearsed = try await LiveActivities(store: LiveActivityStore(connection))
      .handle(.wakeUp, .test(now: start, dryRun: true))

    #expect(rehearsed.subjects == 1 && rehearsed.started == 0)
    #expect(try await scene.check(at: start).started == 1)
  }

  @Test func twoRunsAtOnceStartItOnce() async throws {
    let scene = try await ActivityScene(asked: client)
    try await scene.demo.connection.script(
      "INSERT INTO activity_changes (app, subject_id, due_at) VALUES ('lockitin', '\(Demo.proposal)', '2026-01-01')")

    async let one = scene.check(at: start)
    async let other = scene.check(at: start)

    #expect(try await one.started + other.started == 1)
    #expect(try await scene.send(at: start).count == 1)
  }

  @Test func manyChangesOfOneProposalAreOne() async throws {
    let scene = try await ActivityScene(asked: client)
    try await scene.demo.connection.script(
      """
      INSERT INTO activity_changes (app, subject_id, due_at)
      SELECT 'lockitin', '\(Demo.proposal)', '2026-01-01' FROM generate_series(1, 1000)
      """)

    #expect(try await scene.check(at: start).subjects == 1)
    #expect(try await scene.demo.number("SELECT count(*) FROM activity_changes WHERE due_at < '2027-01-01'") == 0)
  }

  /// Reasons for Eva's lock screen to stay empty.
  @Test(
    arguments: [
      "INSERT INTO activity_settings (user_id, app, is_enabled) VALUES ('\(Person.eva.id)', 'lockitin', false)",
      "DELETE FROM group_members WHERE user_id = '\(Person.eva.id)'",
      "UPDATE device_tokens SET is_active = false WHERE user_id = '\(Person.eva.id)'",
      "UPDATE event_proposals SET status = 'cancelled'", "DELETE FROM event_proposals",
      """
      INSERT INTO group_notification_preferences (user_id, group_id, notification_level)
      VALUES ('\(Person.eva.id)', '\(Demo.group)', 'muted')
      ON CONFLICT (user_id, group_id) DO UPDATE SET notification_level = 'muted'
      """,
    ])
  func whatIsNotWantedOrNotTrueStartsNothing(change: String) async throws {
    let scene = try await ActivityScene(asked: client)
    try await scene.demo.connection.script(change)

    #expect(try await scene.tell(at: start).isEmpty)
  }

  @Test func whatIsNotWantedWhenItGoesOutStartsNothing() async throws {
    let scene = try await ActivityScene(asked: client)
    try await scene.check(at: start)
    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'cancelled'")

    #expect(try await scene.send(at: start).isEmpty)
    #expect(try await scene.states() == ["expired Superseded"])
  }

  @Test func itStartsEightHoursBeforeTheDeadlineAtTheEarliest() async throws {
    let scene = try await ActivityScene(client)
    try await scene.register(.eva, "5eed5eed")
    _ = try await scene.demo.connection.query("UPDATE event_proposals SET deadline = deadline + interval '1 day'")
    try await scene.propose()

    let result = try await scene.check(at: start)
    #expect(result.started == 0)
    #expect(result.wakeAt == ActivityScene.deadline + 16 * 3_600)
    #expect(try await scene.check(at: ActivityScene.deadline + 16 * 3_600).started == 1)
  }

  @Test func aStartWaitsForTheEndOfQuietHours() async throws {
    let scene = try await ActivityScene(asked: client)
    _ = try await scene.demo.connection.query(
      """
      INSERT INTO user_notification_preferences (user_id, quiet_hours_enabled, quiet_hours_start, quiet_hours_end, timezone)
      VALUES (\(Person.eva.id)::uuid, true, '13:00', '15:00', 'UTC')
      ON CONFLICT (user_id) DO UPDATE SET quiet_hours_enabled = true, quiet_hours_start = '13:00',
        quiet_hours_end = '15:00', timezone = 'UTC'
      """)

    let quiet = try await scene.check(at: start)
    #expect(quiet.started == 0)
    let morning = try #require(quiet.wakeAt)
    #expect(morning >= start + 7_200 && morning < start + 3 * 3_600)
    #expect(try await scene.check(at: morning).started == 1)
  }

  @Test func votesThatComeTogetherAreOneUpdate() async throws {
    let scene = try await ActivityScene.shown()
    #expect(try await scene.tell(at: start).isEmpty, "the start said so")

    try await scene.vote(by: .ada, "e2", at: start + 1)
    try await scene.vote(by: .hugo, "e3", at: start + 5)
    #expect(try await scene.tell(at: start + 6).isEmpty)
    let sent = try await scene.tell(at: start + 12)
    #expect(try await scene.tell(at: start + 30).isEmpty, "it says so already")

    #expect(sent.map(\.event) == ["update"] && sent.map(\.votes) == [3])
    #expect(sent.map(\.push.device.token) == ["e0a0e0a0"] && sent.map(\.push.priority) == [5])
    #expect(sent.allSatisfy { $0["alert"] == nil && !$0.push.isOnce && $0.push.badge == nil })
  }

  @Test func theLatestStateTakesThePlaceOfOneThatWaits() async throws {
    let scene = try await ActivityScene.shown()
    try await scene.vote(by: .ada, "e2", at: start + 1)
    #expect(try await scene.check(at: start + 12).told == 1)
    try await scene.vote(by: .hugo, "e3", at: start + 13)
    #expect(try await scene.check(at: start + 24).told == 0)

    #expect(try await scene.send(at: start + 25).map(\.votes) == [3])
  }

  @Test func anUpdateThatWasNotAnsweredIsSentAgainWithALaterTime() async throws {
    let scene = try await ActivityScene(asked: ScriptedClient(.unknown))
    try await scene.register(.eva, "e0a0e0a0", about: ActivityScene.proposal)
    let first = try await scene.tell(at: start).filter { $0.event == "update" }
    let second = try await scene.send(at: start + 3_600)

    #expect(first.count == 1 && second.map(\.event) == ["update"])
    let stamps = (first + second).compactMap { $0["timestamp"]?.intValue }
    #expect(stamps.count == 2 && stamps[0] < stamps[1])
  }

  @Test func timestampsGrowWithinASecond() async throws {
    let scene = try await ActivityScene.shown()
    var stamps: [Int] = []
    for (number, voter) in [Person.ada, .hugo, .chloe].enumerated() {
      try await scene.vote(by: voter, "e\(number + 2)", at: start - 10)
      stamps += try await scene.tell(at: start).compactMap { $0["timestamp"]?.intValue }
    }

    #expect(stamps.count == 3 && stamps == stamps.sorted() && Set(stamps).count == 3)
  }

  @Test func updatesAreUrgentInTheLastQuarterOfAnHour() async throws {
    let scene = try await ActivityScene.shown()
    let late = ActivityScene.deadline - 900
    try await scene.vote(by: .ada, "e2", at: late - 10)

    #expect(try await scene.tell(at: late).map(\.push.priority) == [10])
  }

  /// The end of an activity, the words that it has then, and the seconds that it stays.
  @Test(
    arguments: [
      ("UPDATE event_proposals SET status = 'confirmed'", "confirmed", 3_600),
      ("UPDATE event_proposals SET status = 'cancelled'", "cancelled", 0),
      ("UPDATE event_proposals SET deadline = '2030-01-05 12:00+00'", "closed", 900),
      ("DELETE FROM event_proposals", "cancelled", 0),
    ])
  func itEndsWithTheProposal(change: String, status: String, stay: Int) async throws {
    let scene = try await ActivityScene.shown()
    _ = try await scene.tell(at: start)
    try await scene.demo.connection.script(change)

    let sent = try await scene.tell(at: start + 60)
    #expect(sent.map(\.event) == ["end"] && sent.map(\.status) == [status] && sent.map(\.votes) == [1])
    #expect(sent.map(\.push.priority) == [10])
    #expect(sent.first?["dismissal-date"]?.intValue == Int((start + 60).timeIntervalSince1970) + stay)
    #expect(try await scene.ends() == ["ended"])
    try await scene.demo.connection.script(
      "INSERT INTO activity_changes (app, subject_id, due_at) VALUES ('lockitin', '\(Demo.proposal)', '2026-01-01')")
    #expect(try await scene.tell(at: start + 120).isEmpty)
  }

  /// By how much the event was moved, and which time the lock screen calls the chosen one.
  @Test(arguments: [("0 hours", Demo.sunday as String?), ("1 hour", nil)])
  func aConfirmedProposalShowsNoTimeButTheChosenOne(moved: String, shown: String?) async throws {
    let scene = try await ActivityScene.shown()
    _ = try await scene.tell(at: start)
    try await scene.demo.connection.script(
      """
      UPDATE proposal_options SET starts_at = starts_at + interval '0.5 seconds';
      INSERT INTO events (group_id, proposal_id, title, starts_at, ends_at)
      SELECT p.group_id, p.id, p.title, o.starts_at + interval '\(moved)', o.ends_at + interval '\(moved)'
      FROM event_proposals p JOIN proposal_options o ON o.proposal_id = p.id WHERE o.id = '\(Demo.sunday)';
      UPDATE event_proposals SET status = 'confirmed'
      """)

    let sent = try await scene.tell(at: start + 60)
    #expect(sent.map(\.status) == ["confirmed"])
    #expect(sent.map { $0["content-state"]?["leader"]?["option_id"]?.stringValue } == [shown])
  }

  @Test func itEndsAtTheDeadlineByItself() async throws {
    let scene = try await ActivityScene.shown()
    #expect(try await scene.check(at: start).wakeAt == ActivityScene.deadline)

    let sent = try await scene.tell(at: ActivityScene.deadline)
    #expect(sent.map(\.event) == ["end"] && sent.map(\.status) == ["closed"])
  }

  @Test func whoLeavesTheGroupLearnsNothingMoreAndItGoes() async throws {
    let scene = try await ActivityScene.shown()
    try await scene.demo.connection.script("DELETE FROM group_members WHERE user_id = '\(Person.eva.id)'")
    try await scene.vote(by: .ada, "e2", at: start)

    let sent = try await scene.tell(at: start + 11)
    #expect(sent.map(\.event) == ["end"] && sent.map(\.votes) == [1])
    #expect(sent.first?["dismissal-date"]?.intValue == Int((start + 11).timeIntervalSince1970))
  }

  @Test func itTakesThePlaceOfSilentCounts() async throws {
    let scene = try await ActivityScene(client)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    try await scene.vote(by: .ada, "e2", at: start)

    #expect(try await scene.tell(at: start + 11).map(\.push.device.token) == ["be00be00"])
    #expect(!client.pushes.contains { $0.pushType == "background" && $0.device.token.hasPrefix("c2") })
  }

  /// Changes that leave Ben's phone without the activity that has a token there.
  @Test(
    arguments: [
      "UPDATE live_activities SET user_id = '\(Person.eva.id)'",
      "INSERT INTO activity_settings (user_id, app, is_enabled) VALUES ('\(Person.ben.id)', 'lockitin', false)",
    ])
  func whatIsNotForThePersonOfThePhoneReplacesNoSilentCount(change: String) async throws {
    let scene = try await ActivityScene(client)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    try await scene.demo.connection.script(change)
    try await scene.vote(by: .ada, "e2", at: start)

    _ = try await scene.tell(at: start + 11)
    #expect(client.pushes.contains { $0.pushType == "background" && $0.device.token.hasPrefix("c2") })
    #expect(!client.pushes.contains { $0.payload.contains(#""event":"update""#) })
  }

  @Test func whatWaitsForAnActivityThatWasDeletedIsNotSent() async throws {
    let scene = try await ActivityScene.shown()
    try await scene.vote(by: .ada, "e2", at: start)
    #expect(try await scene.check(at: start + 11).told == 1)
    try await scene.demo.connection.script("DELETE FROM live_activities")

    #expect(try await scene.send(at: start + 12).isEmpty)
    #expect(try await scene.states() == ["accepted", "rejected NoActiveDevice"])
  }

  /// The app has started the activity again, or ActivityKit has given another token.
  @Test(arguments: [("e0a0e0a0", 0), ("e0a0e0a1", 1)])
  func anActivityWithAnotherTokenIsToldWhatIsTrue(token: String, pushes: Int) async throws {
    let scene = try await ActivityScene.shown()
    _ = try await scene.tell(at: start)

    try await scene.register(.eva, token, about: ActivityScene.proposal, at: start + 1)
    #expect(try await scene.tell(at: start + 1).map(\.push.device.token) == Array(repeating: token, count: pushes))
  }

  @Test func anActivityThatIsGoneEndsAndItsPhoneLivesOn() async throws {
    let gone = ScriptedClient { push in
      push.pushType == "liveactivity"
        ? .test(.deviceGone(at: ActivityScene.start + 60), status: 410, reason: "Unregistered")
        : .test(.accepted, status: 200)
    }
    let scene = try await ActivityScene(gone)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    #expect(try await scene.tell(at: start).count == 1)

    #expect(try await scene.ends() == ["Unregistered"])
    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM device_tokens WHERE user_id = \(Person.ben.id)::uuid AND app = 'lockitin' AND is_active")
        == 1
    )
    try await scene.vote(by: .ada, "e2", at: start + 60)
    #expect(try await scene.tell(at: start + 71).isEmpty)
    #expect(gone.pushes.contains { $0.pushType == "background" && $0.device.token.hasPrefix("c2") })
  }

  @Test func anotherAppsTokenEndsThatActivityAlone() async throws {
    let wrong = ScriptedClient { push in
      push.device.token == "be00be00"
        ? .test(.deviceNotForTopic, status: 400, reason: "DeviceTokenNotForTopic") : .test(.accepted, status: 200)
    }
    let scene = try await ActivityScene(wrong)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    try await scene.register(.ada, "ada0ada0", about: ActivityScene.proposal, at: start + 1)

    #expect(try await scene.tell(at: start + 2).count == 2)
    #expect(try await scene.ends() == ["DeviceTokenNotForTopic", ""])
    #expect(try await scene.demo.number("SELECT count(*) FROM device_tokens WHERE is_active IS FALSE") == 0)
  }

  @Test func pushesToActivitiesChangeNoBadgeAndNoInbox() async throws {
    let scene = try await ActivityScene.shown()
    try await scene.vote(by: .ada, "e2", at: start)
    _ = try await scene.tell(at: start + 11)

    #expect(
      try await scene.demo.number(
        "SELECT count(*) FROM notifications WHERE type = 'live_activity' AND is_read AND is_archived") == 2)
    #expect(
      try await scene.demo.number("SELECT count(*) FROM deliveries WHERE activity_id IS NOT NULL AND badge IS NOT NULL")
        == 0)
  }
}
