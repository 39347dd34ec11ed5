import DeliveryLive
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import ActionCompleted
@testable import FriendRequested
@testable import GroupInvited

@Suite(.heavy)
struct ActionCompletedTests {
  private static let request = "f7000000-0000-4000-8000-000000000001"
  private static let invite = "f8000000-0000-4000-8000-000000000001"

  @Test func aVoteSettlesWhatAskedForItAndLowersTheBadge() async throws {
    let scene = try await BadgeScene()

    let result = try await scene.tell(try await scene.demo.cast("no", by: .eva))

    #expect(result.counts == [1, 2, 0, 2])
    #expect(try await scene.states() == ["expired ActionCompleted", "expired ActionCompleted"])
    #expect(try await scene.states(ofBadges: true) == ["queued", "queued"])
    let eva: SQL = "FROM notifications WHERE user_id = \(Person.eva.id)::uuid"
    #expect(try await scene.demo.number("SELECT count(*) \(eva) AND is_read AND NOT is_archived") == 1)
    let badge = try await scene.demo.connection.query("SELECT * \(eva) AND type = 'badge'").only()
    #expect(badge["payload"] == #"{"aps":{}}"# && badge["push_type"] == "alert" && badge["priority"] == "5")
    #expect(badge["collapse_id"] == "badge" && badge["counts_for_badge"] == "f")
    // An app's own list of unread entries has it by neither column.
    #expect(badge["is_read"] == "t" && badge["is_archived"] == "t")
    #expect(try await scene.send() == ["c5 0", "d5 0"])
  }

  @Test func aVoteSettlesNothingElseOfTheProposalAndNobodyElses() async throws {
    let scene = try await BadgeScene()
    // As an app's own table may have it.
    try await scene.demo.connection.script("ALTER TABLE notifications ALTER COLUMN title SET NOT NULL")
    try await scene.demo.connection.script(
      """
      UPDATE notifications SET user_id = '\(Person.ada.id)' WHERE user_id = '\(Person.eva.id)';
      INSERT INTO notifications (user_id, app, type, title, proposal_id, is_read)
      SELECT '\(Person.eva.id)', a, k, 'x', '\(Demo.proposal)', false
      FROM (VALUES ('lockitin', 'event_confirmed'), ('lockitin', 'vote_cast'), ('mugshot', 'proposal_created')) v (a, k)
      """)

    #expect(try await scene.tell(try await scene.demo.cast("yes", by: .eva)).counts == [0, 0, 0, 2])
    #expect(try await scene.demo.number("SELECT count(*) FROM notifications WHERE is_read AND NOT is_archived") == 0)
  }

  @Test(arguments: ["proposal_reminder", "PROPOSAL_UPDATED"])
  func aVoteSettlesEverythingThatAskedForIt(kind: String) async throws {
    let scene = try await BadgeScene()
    _ = try await scene.demo.connection.query("UPDATE notifications SET type = \(kind)")

    #expect(try await scene.tell(try await scene.demo.cast("yes", by: .eva)).handled == 1)
  }

  @Test func aVoteOnOptionsThatWereReplacedSettlesNothing() async throws {
    let scene = try await BadgeScene()
    let event = try await scene.demo.cast("yes", by: .eva)
    try await scene.demo.connection.script("UPDATE event_proposals SET options_version = 2")

    #expect(try await scene.tell(event).counts.dropLast() == [0, 0, 0])
  }

  @Test(arguments: [("accepted", [1, 1, 0, 1]), ("declined", [1, 1, 0, 1]), ("pending", [0, 0, 0, 0])])
  func anAnsweredRequestOrInvitationIsSettled(status: String, counts: [Int]) async throws {
    let scene = try await BadgeScene()
    let demo = scene.demo
    let asked = RowEvent.event("INSERT", "friend_requests", record: #"{"id":"\#(Self.request)"}"#, id: "e2")
    _ = try await demo.run(FriendRequested(store: demo.store()), on: asked, at: Demo.dayBefore)
    let invited = RowEvent.event("INSERT", "group_invites", record: #"{"id":"\#(Self.invite)"}"#, id: "e3")
    _ = try await demo.run(GroupInvited(store: demo.store()), on: invited, at: Demo.dayBefore)

    let answer = try await scene.change("friend_requests", Self.request, "status = \(status)", "e4")
    #expect(try await scene.tell(answer).counts == counts)
    let joining = try await scene.change("group_invites", Self.invite, "status = \(status)", "e5")
    // The badge that waits has the number of when it is sent.
    #expect(try await scene.tell(joining).counts == Array(counts.dropLast()) + [0])
    if status != "pending" { #expect(try await scene.send() == ["c2 0"]) }
  }

  @Test func anInvitationIsOpenWhileAnotherIntoTheSameGroupIs() async throws {
    let scene = try await BadgeScene()
    let invited = RowEvent.event("INSERT", "group_invites", record: #"{"id":"\#(Self.invite)"}"#, id: "e3")
    _ = try await scene.demo.run(GroupInvited(store: scene.demo.store()), on: invited, at: Demo.dayBefore)
    try await scene.demo.connection.script(
      "INSERT INTO group_invites (group_id, invitee_id) SELECT group_id, invitee_id FROM group_invites")

    let answer = try await scene.change("group_invites", Self.invite, "status = 'declined'")
    #expect(try await scene.tell(answer).counts == [0, 0, 0, 1])
  }

  @Test func whatWasHeldIsNotSentAndLeavesTheInbox() async throws {
    let scene = try await BadgeScene()
    try await scene.demo.connection.script(
      """
      INSERT INTO held_notifications SELECT id, user_id, app, 'quiet_hours', now() + interval '90 years', now()
      FROM notifications WHERE user_id = '\(Person.eva.id)';
      DELETE FROM deliveries
      """)

    #expect(try await scene.tell(try await scene.demo.cast("yes", by: .eva)).counts == [1, 0, 1, 2])
    #expect(try await scene.demo.number("SELECT count(*) FROM held_notifications") == 0)
    let verdict = try await scene.demo.connection.query("SELECT * FROM notification_rechecks").only()
    #expect(verdict["decision"] == "suppress" && verdict["reason"] == "already_handled")
    #expect(try await scene.demo.inbox(of: .eva).isEmpty)
  }

  @Test func whatIsUnderWayIsLeftToItsSenderAndNotSentAgain() async throws {
    let scene = try await BadgeScene()
    try await scene.demo.connection.script(
      "UPDATE deliveries SET lease_id = gen_random_uuid(), lease_until = clock_timestamp() + interval '1 hour'")
    #expect(try await scene.tell(try await scene.demo.cast("yes", by: .eva)).counts == [1, 0, 0, 2])
    #expect(try await scene.states() == ["queued", "queued"])

    try await scene.demo.connection.script("UPDATE deliveries SET lease_id = NULL, lease_until = NULL")
    #expect(try await scene.send() == ["c5 0", "d5 0"])
    #expect(scene.client.pushes.count == 2)
    #expect(try await scene.states() == ["expired", "expired"])
  }

  @Test func aRepeatedEventHasNoFurtherEffectAndGetsTheRecordedResult() async throws {
    let scene = try await BadgeScene()
    let event = try await scene.demo.cast("yes", by: .eva)

    let results = try await withThrowingTaskGroup(of: ActResult.self) { group in
      for _ in 0..<8 { group.addTask { try await scene.tell(event) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await scene.send()
    let effects = try await scene.demo.effects()
    let late = try await scene.tell(event, at: BadgeScene.now.addingTimeInterval(3_600))

    #expect((results + [late]).allSatisfy { $0.counts == [1, 2, 0, 2] })
    #expect(try await scene.demo.effects() == effects)
    #expect(try await scene.states(ofBadges: true) == ["accepted", "accepted"])
  }

  @Test func aDryRunOnlyCounts() async throws {
    let scene = try await BadgeScene()
    let event = try await scene.demo.cast("yes", by: .eva)
    let effects = try await scene.demo.effects()

    let rehearsal = try await scene.tell(event, dryRun: true)

    #expect(rehearsal.counts == [1, 2, 0, 2] && rehearsal.dryRun == true)
    #expect(try await scene.demo.effects() == effects)
    #expect(try await scene.states() == ["queued", "queued"])
    #expect(try await scene.tell(event).counts == [1, 2, 0, 2])
  }

  @Test(arguments: ["friend_requests", "group_invites", "notifications"])
  func whatIsGoneIsNoError(table: String) async throws {
    let scene = try await BadgeScene()
    let row = #"{"id":"\#(UUID().uuidString)"}"#

    let result = try await scene.tell(RowEvent.event("UPDATE", table, record: row, oldRecord: row))

    #expect(result.reason == "subject_gone" && !result.counts.contains { $0 > 0 })
  }

  @Test(arguments: [("INSERT", "votes"), ("INSERT", "notifications"), ("DELETE", "proposal_votes")])
  func anythingElseIsRefused(type: String, table: String) async throws {
    let scene = try await BadgeScene()
    let event = RowEvent.event(type, table, record: #"{"id":"\#(Demo.bensVote)"}"#)

    await #expect(throws: FunctionError.self) { try await scene.tell(event) }
  }

  @Test func anActAndAReleaseAtOnceLeaveNothingToSend() async throws {
    let scene = try await BadgeScene()
    try await scene.demo.connection.script("DELETE FROM deliveries")
    for round in 0..<10 {
      try await scene.demo.connection.script(
        """
        DELETE FROM proposal_votes WHERE user_id = '\(Person.eva.id)';
        DELETE FROM deliveries;
        UPDATE notifications SET is_read = false, is_archived = false WHERE type = 'proposal_created';
        INSERT INTO held_notifications SELECT id, user_id, app, 'quiet_hours', '2029-12-31', '2029-12-31'
        FROM notifications WHERE user_id = '\(Person.eva.id)' AND type = 'proposal_created'
        """)
      async let release = scene.demo.store().release(at: BadgeScene.now, dryRun: false)
      let event = try await scene.demo.cast("yes", by: .eva, "act-\(round)")
      try await scene.tell(event)
      _ = try await release

      #expect(try await scene.demo.number("SELECT count(*) FROM held_notifications") == 0)
      #expect(try await scene.states().allSatisfy { $0 == "expired ActionCompleted" })
      #expect(
        try await scene.demo.number(
          """
          SELECT count(*) FROM notifications
          WHERE type = 'proposal_created' AND user_id = \(Person.eva.id)::uuid AND (is_read OR is_archived)
          """) == 1)
    }
  }
}
