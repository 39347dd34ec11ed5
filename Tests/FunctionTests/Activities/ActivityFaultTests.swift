import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

/// The fate of Live Activities, and of everything else, when something about them goes wrong.
@Suite(.heavy)
struct ActivityFaultTests {
  private let client = ScriptedClient(.accepted, status: 200)
  private let start = ActivityScene.start

  /// The numbers of voters that Ben's phone got in the background.
  private func counts(_ client: ScriptedClient) -> [String] {
    client.pushes.filter { $0.pushType == "background" && $0.device.token.hasPrefix("c2") }.map(\.payload)
  }

  @Test func otherPushesGoOutWhereActivitiesCannotBeTold() async throws {
    let scene = try await ActivityScene(client)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    #expect(try await scene.check(at: start).told == 1)
    try await scene.propose()
    try await scene.demo.connection.script("ALTER TABLE proposal_options RENAME COLUMN starts_at TO begins_at")

    #expect(try await scene.send(at: start).isEmpty)
    #expect(client.pushes.contains { $0.pushType == "alert" })
    #expect(try await scene.states() == ["queued"])
    try await scene.demo.connection.script("ALTER TABLE proposal_options RENAME COLUMN begins_at TO starts_at")

    #expect(try await scene.send(at: start + 59).isEmpty)
    #expect(try await scene.send(at: start + 61).map(\.event) == ["update"])
  }

  /// Ben's phone shows the demo's proposal and Eva's another one; both are to be told.
  private func twoProposals(_ other: UUID) async throws -> ActivityScene {
    let scene = try await ActivityScene(client)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    try await scene.demo.connection.script(
      """
      INSERT INTO event_proposals (id, group_id, created_by, title, deadline)
      SELECT '\(other)', group_id, created_by, 'Other', deadline FROM event_proposals WHERE id = '\(Demo.proposal)';
      INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at)
      SELECT '\(other)', '\(other)', starts_at, ends_at FROM proposal_options WHERE id = '\(Demo.sunday)'
      """)
    try await scene.register(.eva, "e0a0e0a0", about: other)
    #expect(try await scene.check(at: start).told == 2)
    return scene
  }

  @Test func whatCannotBeWordedIsPutOffAtOnceAndInOneLine() async throws {
    let scene = try await twoProposals(UUID())
    try await scene.demo.connection.script(
      "ALTER TABLE proposal_options ALTER COLUMN starts_at DROP NOT NULL; UPDATE proposal_options SET starts_at = NULL")
    let lines = LogLines()
    let store = scene.demo.queue(log: lines.log)

    let batch = try await store.claim(500, [.apns], start)

    #expect(batch.pushes.isEmpty && batch.held == 2)
    #expect(lines.all.count == 1 && lines.count("Live Activities could not be told") == 1, "\(lines.all)")
    #expect(try await scene.states() == ["queued", "queued"])
  }

  @Test func oneActivityThatCannotBeWordedPutsOffNoOther() async throws {
    let other = try #require(UUID(uuidString: "f4000000-0000-4000-8000-000000000077"))
    let scene = try await twoProposals(other)
    try await scene.demo.connection.script(
      """
      ALTER TABLE proposal_options ALTER COLUMN starts_at DROP NOT NULL;
      UPDATE proposal_options SET starts_at = NULL WHERE proposal_id = '\(other)'
      """)

    #expect(try await scene.send(at: start).map(\.push.device.token) == ["be00be00"])
    #expect(try await scene.states().sorted() == ["accepted", "queued"])
    try await scene.demo.connection.script(
      "UPDATE proposal_options SET starts_at = ends_at - interval '4 hours' WHERE proposal_id = '\(other)'")

    #expect(try await scene.send(at: start + 59).isEmpty)
    #expect(try await scene.send(at: start + 61).map(\.push.device.token) == ["e0a0e0a0"])
  }

  @Test func oneSubjectThatCannotBeReadPutsOffNoOther() async throws {
    let scene = try await ActivityScene(client)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    let other = try #require(UUID(uuidString: "f4000000-0000-4000-8000-000000000077"))
    try await scene.demo.connection.script(
      """
      INSERT INTO event_proposals (id, group_id, created_by, title, deadline)
      SELECT '\(other)', group_id, created_by, 'Other', deadline FROM event_proposals WHERE id = '\(Demo.proposal)';
      ALTER TABLE proposal_options ALTER COLUMN starts_at DROP NOT NULL;
      INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at)
      SELECT '\(other)', '\(other)', NULL, ends_at FROM proposal_options WHERE id = '\(Demo.sunday)'
      """)
    try await scene.register(.eva, "e0a0e0a0", about: other)

    let first = try await scene.check(at: start)
    #expect(first.told == 1 && first.wakeAt == start + 60)
    #expect(try await scene.send(at: start).map(\.push.device.token) == ["be00be00"])
    try await scene.demo.connection.script(
      "UPDATE proposal_options SET starts_at = ends_at - interval '4 hours' WHERE proposal_id = '\(other)'")

    #expect(try await scene.check(at: start + 59).told == 0)
    #expect(try await scene.tell(at: start + 60).map(\.push.device.token) == ["e0a0e0a0"])
  }

  /// Ben's phone shows the demo's proposal, whose row cannot be read.
  private func unreadable() async throws -> ActivityScene {
    let scene = try await ActivityScene(client)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    try await scene.demo.connection.script(
      "ALTER TABLE proposal_options ALTER COLUMN starts_at DROP NOT NULL; UPDATE proposal_options SET starts_at = NULL")
    return scene
  }

  @Test func whatCanNeverBeReadIsTriedMoreAndMoreSeldomAndEndsAfterADay() async throws {
    let scene = try await unreadable()

    var (time, minutes): (Date, [Int]) = (start, [])
    while minutes.count < 20, let next = try await scene.check(at: time).wakeAt {
      minutes.append(Int(next.timeIntervalSince(time)) / 60)
      time = next
    }

    #expect(minutes == [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 416])
    #expect(try await scene.ends() == ["failed"])
    #expect(try await changes(scene) == 0)
  }

  @Test func anActivityThatHasBegunSinceKeepsItsSubjectForADay() async throws {
    let scene = try await unreadable()
    try await scene.check(at: start)
    try await scene.register(.eva, "e0a0e0a0", about: ActivityScene.proposal, at: start + 80_000)

    #expect(try await scene.check(at: start + 86_400).wakeAt == start + 166_400)
    #expect(try await scene.ends() == ["", ""])
    try await scene.check(at: start + 166_400)
    #expect(try await scene.ends() == ["failed", "failed"])
    #expect(try await changes(scene) == 0)
  }

  @Test func whatWasPutOffIsToldWithTheNextChangeThatCanBeRead() async throws {
    let scene = try await unreadable()
    for delay in [0.0, 60, 120] { try await scene.check(at: start + delay) }
    #expect(try await changes(scene) > 0)
    try await scene.demo.connection.script(
      """
      UPDATE proposal_options SET starts_at = ends_at - interval '4 hours';
      INSERT INTO activity_changes (app, subject_id, due_at) VALUES ('lockitin', '\(Demo.proposal)', '2026-01-01')
      """)

    #expect(try await scene.check(at: start + 130).told == 1)

    #expect(
      try await scene.demo.number("SELECT count(*) FROM activity_changes WHERE failing_since IS NOT NULL") == 0)
  }

  @Test func aPushThatCannotBeWordedIsTriedMoreAndMoreSeldomUpToEachHour() async throws {
    let scene = try await ActivityScene(client)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    #expect(try await scene.check(at: start).told == 1)
    try await scene.demo.connection.script(
      "ALTER TABLE proposal_options ALTER COLUMN starts_at DROP NOT NULL; UPDATE proposal_options SET starts_at = NULL")

    var waits: [Int] = []
    for delay in [0, 60, 120, 240, 7_200] {
      #expect(try await scene.send(at: start + Double(delay)).isEmpty)
      let due = try await scene.demo.number(
        "SELECT extract(epoch FROM max(not_before))::int FROM deliveries WHERE activity_id IS NOT NULL")
      waits.append(due - Int(start.timeIntervalSince1970) - delay)
    }

    #expect(waits == [60, 60, 120, 240, 3_600])
  }

  @Test func aStartThatCouldNotBeWordedIsSentLater() async throws {
    let scene = try await ActivityScene(asked: client)
    try await scene.check(at: start)
    try await scene.demo.connection.script("ALTER TABLE proposal_options RENAME COLUMN starts_at TO begins_at")
    #expect(try await scene.send(at: start).isEmpty)
    try await scene.demo.connection.script("ALTER TABLE proposal_options RENAME COLUMN begins_at TO starts_at")

    #expect(try await scene.send(at: start + 61).map(\.event) == ["start"])
    #expect(try await scene.states() == ["accepted"])
  }

  /// How many rows of notifications all sessions have read.
  private func notificationsRead(_ scene: ActivityScene) async throws -> Int {
    try await scene.demo.functionsHaveEnded()
    return try await scene.demo.number(
      """
      SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int FROM pg_stat_user_tables WHERE relname = 'notifications'
      """)
  }

  @Test func aVoteReadsNoneOfManyNotificationsOfItsProposal() async throws {
    let scene = try await ActivityScene.shown()
    _ = try await scene.tell(at: start)
    try await scene.demo.connection.script(
      """
      INSERT INTO notifications (user_id, app, type, title, proposal_id, pushed_at)
      SELECT '\(Person.eva.id)', 'lockitin', 'proposal_created', 'Game Night', '\(Demo.proposal)', now()
      FROM generate_series(1, 5000);
      DELETE FROM activity_changes
      """)
    try await scene.vote(by: .ada, "e2", at: start)
    let before = try await notificationsRead(scene)

    #expect(try await scene.check(at: start + 11).told == 1)

    #expect(try await notificationsRead(scene) - before < 1_000)
  }

  @Test func aTokenThatComesAfterTheQuestionStartsTheProposal() async throws {
    let scene = try await ActivityScene(client)
    try await scene.propose()
    #expect(try await scene.tell(at: start).isEmpty)

    try await scene.register(.eva, "5eed5eed", at: start)
    #expect(try await scene.tell(at: start + 11).map(\.event) == ["start"])
  }

  @Test func whoSwitchesThemOnAgainSeesWhatIsStillOpen() async throws {
    let scene = try await ActivityScene(asked: client)
    try await scene.demo.connection.script(
      "INSERT INTO activity_settings (user_id, app, is_enabled) VALUES ('\(Person.eva.id)', 'lockitin', false)")
    #expect(try await scene.tell(at: start).isEmpty)
    let eva = PersonLive.Person(id: try #require(UUID(uuidString: Person.eva.id)))
    var changes = PersonalChanges()
    changes.liveActivities = true

    _ = try await PreferenceStore(scene.demo.connection).personal(
      of: eva, app: .lockItIn, changing: changes, at: start + 60)

    #expect(try await scene.tell(at: start + 71).map(\.event) == ["start"])
  }

  /// How APNs refuses the token of a start for certain.
  @Test(arguments: [PushVerdict.deviceGone(at: ActivityScene.start + 60), .deviceSuspect])
  func aStartThatWasRefusedIsTriedOnceWithTheNextToken(verdict: PushVerdict) async throws {
    let refusing = ScriptedClient { push in
      push.device.token == "5eed5eed"
        ? .test(verdict, status: 410, reason: "Unregistered", environment: push.device.environment ?? .sandbox)
        : .test(.accepted, status: 200)
    }
    let scene = try await ActivityScene(asked: refusing)
    #expect(try await !scene.tell(at: start).isEmpty)
    #expect(try await scene.states() == ["rejected Unregistered"])

    try await scene.register(.eva, "5eed5eed", at: start + 100)
    #expect(try await scene.tell(at: start + 120).isEmpty, "the token is the same")
    try await scene.register(.eva, "5eed5eee", at: start + 200)
    let sent = try await scene.tell(at: start + 211)
    #expect(sent.map(\.event) == ["start"] && sent.map(\.push.device.token) == ["5eed5eee"])
    for token in ["5eed5eee", "5eed5eef"] {
      try await scene.register(.eva, token, at: start + 300)
      #expect(try await scene.tell(at: start + 311).isEmpty, "the phone shows it")
    }
  }

  @Test func aStartOfWhichNobodyKnowsIsNotTriedWithTheNextToken() async throws {
    let scene = try await ActivityScene(asked: ScriptedClient(.unknown))
    #expect(try await scene.tell(at: start).count == 1)

    try await scene.register(.eva, "5eed5eee", at: start + 200)

    #expect(try await scene.tell(at: start + 211).isEmpty)
  }

  @Test func aStartWhoseSenderDiedIsNotTriedWithTheNextToken() async throws {
    let scene = try await ActivityScene(asked: client)
    try await scene.check(at: start)
    let dead = DeliveryStore.postgres(Connection(url: scene.demo.url, applicationName: "dead"))
    _ = try await dead.claim(500, [.apns], start)
    try await scene.demo.connection.script(
      """
      UPDATE deliveries SET lease_until = now() - interval '1 second';
      UPDATE live_activities SET ended_at = now(), ended_reason = 'Unregistered' WHERE subject_id = ''
      """)
    #expect(try await scene.send(at: start + 120).isEmpty)
    #expect(try await scene.states() == ["rejected NoActiveDevice"])

    try await scene.register(.eva, "5eed5eee", at: start + 200)

    #expect(try await scene.tell(at: start + 211).isEmpty)
  }

  @Test func aStartThatWaitsIsNotSentWhenTheAppHasStartedOneItself() async throws {
    let scene = try await ActivityScene(asked: client)
    #expect(try await scene.check(at: start).started == 1)
    try await scene.register(.eva, "e0a0e0a0", about: ActivityScene.proposal, at: start + 1)

    #expect(try await scene.send(at: start + 2).isEmpty)
    #expect(try await scene.tell(at: start + 3).map(\.event) == ["update"])
  }

  @Test func anotherEndThatWasNotAnsweredIsSentAgain() async throws {
    let scene = try await ActivityScene.shown()
    try await scene.demo.connection.script("UPDATE event_proposals SET deadline = '2030-01-05 12:00+00'")
    #expect(try await scene.tell(at: start + 60).map(\.status) == ["closed"])
    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'confirmed'")
    try await scene.check(at: start + 120)
    let store = DeliveryStore.postgres(Connection(url: scene.demo.url, applicationName: "other"))
    let batch = try await store.claim(500, [.apns], start + 120)
    let settlements = batch.pushes.map { DeliverySettlement($0, .test(.unknown), now: start + 120, jitter: 0) }
    try await store.settle(batch.lease, settlements, start + 120)
    #expect(settlements.count == 1)

    #expect(try await scene.send(at: start + 1_800).map(\.status) == ["confirmed"])
    #expect(try await scene.tell(at: start + 3_600).isEmpty)
  }

  /// The end of the activity, the statement that follows, and what the phone shows for how many seconds.
  @Test(
    arguments: [
      (
        "UPDATE event_proposals SET status = 'confirmed'", "UPDATE event_proposals SET status = 'cancelled'",
        "cancelled", 0
      ),
      ("UPDATE event_proposals SET status = 'confirmed'", "DELETE FROM event_proposals", "cancelled", 0),
      (
        "UPDATE event_proposals SET deadline = '2030-01-05 12:00+00'",
        "UPDATE event_proposals SET status = 'confirmed'", "confirmed", 3_600
      ),
    ])
  func whatIsStillShownAfterItsEndEndsAnew(end: String, change: String, status: String, stay: Int) async throws {
    let scene = try await ActivityScene.shown()
    try await scene.demo.connection.script(end)
    let first = try await scene.tell(at: start + 60)
    #expect(first.map(\.event) == ["end"])

    try await scene.demo.connection.script(change)
    let second = try await scene.tell(at: start + 120)
    #expect(second.map(\.event) == ["end"] && second.map(\.status) == [status])
    #expect(second.first?["dismissal-date"]?.intValue == Int((start + 120).timeIntervalSince1970) + stay)
    let stamps = (first + second).compactMap { $0["timestamp"]?.intValue }
    #expect(stamps.count == 2 && stamps[0] < stamps[1])

    try await scene.demo.connection.script(
      "INSERT INTO activity_changes (app, subject_id, due_at) VALUES ('lockitin', '\(Demo.proposal)', '2026-01-01')")
    #expect(try await scene.tell(at: start + 180).isEmpty, "it says so")
  }

  /// The changes of the demo's proposal that wait to be looked at.
  private func changes(_ scene: ActivityScene) async throws -> Int {
    try await scene.demo.number("SELECT count(*) FROM activity_changes WHERE subject_id = \(Demo.proposal)")
  }

  @Test func aProposalThatIsCalledOffAfterItsDeadlineEndsAgainWhileItIsShown() async throws {
    let scene = try await ActivityScene.shown()
    let deadline = ActivityScene.deadline
    #expect(try await scene.tell(at: deadline).map(\.status) == ["closed"])
    #expect(try await scene.ends() == ["ended"])
    #expect(try await changes(scene) == 0, "nothing else makes somebody look at it")

    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'cancelled'")

    #expect(try await scene.tell(at: deadline + 600).map(\.status) == ["cancelled"])
  }

  @Test func nobodyLooksAtAProposalThatIsCalledOffAnHourAfterItsEnd() async throws {
    let scene = try await ActivityScene.shown()
    _ = try await scene.tell(at: ActivityScene.deadline)
    try await scene.demo.connection.script(
      """
      UPDATE live_activities SET ended_at = push_now() - interval '61 minutes' WHERE subject_id <> '';
      UPDATE event_proposals SET status = 'cancelled'
      """)

    #expect(try await changes(scene) == 0)
  }

  @Test func whatThePhoneHasRemovedIsNotEndedAgain() async throws {
    let scene = try await ActivityScene.shown()
    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'confirmed'")
    _ = try await scene.tell(at: start + 60)
    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'cancelled'")

    #expect(try await scene.tell(at: start + 60 + 3_600).isEmpty)
  }

  @Test func whatIsCalledOffWhileItsEndIsOnItsWayEndsAnew() async throws {
    let scene = try await ActivityScene.shown()
    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'confirmed'")
    try await scene.check(at: start + 60)
    let store = DeliveryStore.postgres(Connection(url: scene.demo.url, applicationName: "other"))
    let batch = try await store.claim(500, [.apns], start + 60)
    try await scene.demo.connection.script("UPDATE event_proposals SET status = 'cancelled'")
    #expect(try await scene.check(at: start + 61).told == 1)
    let settlements = batch.pushes.map { DeliverySettlement.accepted($0, start + 62) }
    try await store.settle(batch.lease, settlements, start + 62)

    #expect(try await scene.send(at: start + 63).map(\.status) == ["cancelled"])
  }

  @Test func aPhoneWhoseActivityWasSwipedAwayGetsTheCountThatWasLeftOut() async throws {
    let gone = ScriptedClient { push in
      push.pushType == "liveactivity"
        ? .test(.deviceGone(at: ActivityScene.start + 60), status: 410, reason: "Unregistered")
        : .test(.accepted, status: 200)
    }
    let scene = try await ActivityScene(gone)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    try await scene.vote(by: .ada, "e2", at: start)
    #expect(try await scene.tell(at: start + 11).count == 1)
    #expect(counts(gone).isEmpty)

    for delay in [12.0, 60, 120] { _ = try await scene.tell(at: start + delay) }

    #expect(counts(gone).count == 1)
    #expect(counts(gone).allSatisfy { $0.contains(#""vote_count":2"#) })
  }

  /// Whether the activity had said the number when its app reported that it is gone.
  @Test(arguments: [false, true])
  func aPhoneWhoseActivityIsGoneByItsAppGetsOnlyANewCount(isSaid: Bool) async throws {
    let scene = try await ActivityScene(client)
    try await scene.register(.ben, "be00be00", about: ActivityScene.proposal)
    try await scene.vote(by: .ada, "e2", at: start)
    if isSaid { #expect(try await scene.tell(at: start + 11).map(\.votes) == [2]) }
    let id: UUID = try await scene.demo.connection.query("SELECT id FROM live_activities").only().decode("id")
    let ben = PersonLive.Person(id: try #require(UUID(uuidString: Person.ben.id)))

    #expect(try await DeviceStore(scene.demo.connection).endActivity(id, of: ben, at: start + 12))

    #expect(try await scene.tell(at: start + 30).isEmpty)
    #expect(counts(client).count == (isSaid ? 0 : 1))
  }
}
