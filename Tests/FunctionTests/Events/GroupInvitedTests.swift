import DeliveryLive
import FoundationEssentials
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import GroupInvited

@Suite(.heavy)
struct GroupInvitedTests {
  private func invite(
    _ demo: Demo, _ id: String = "e1", dryRun: Bool = false, at now: Date = Demo.now
  ) async throws -> Answer {
    let record = #"{"id":"f8000000-0000-4000-8000-000000000001"}"#
    let event = RowEvent.event("INSERT", "group_invites", record: record, id: id)
    return try await demo.run(GroupInvited(store: demo.store()), on: event, dryRun: dryRun, at: now)
  }

  @Test func anInvitationIsToldToWhoIsInvited() async throws {
    let answer = try await invite(try await Demo(), dryRun: true)

    #expect(answer.decisions == [.ben: "notify addressee"])
    #expect(try answer.payloads[.ben] == .onFile("lockitin/group_invite"))
  }

  @Test(arguments: [("declined", "notify addressee"), ("accepted", "notify addressee"), ("pending", nil)])
  func whatIsAskedAgainByAnUpdateIsANewInvitation(old: String, expected: String?) async throws {
    let demo = try await Demo()
    _ = try await invite(demo)
    let id = "f8000000-0000-4000-8000-000000000001"
    let event = RowEvent.event(
      "UPDATE", "group_invites", record: #"{"id":"\#(id)","status":"pending"}"#,
      oldRecord: #"{"id":"\#(id)","status":"\#(old)"}"#, id: "again")

    let answer = try await demo.run(GroupInvited(store: demo.store()), on: event)

    #expect(answer.decisions[.ben] == expected)
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == (expected == nil ? 1 : 2))
  }

  @Test func whatIsSwitchedOffIsNoRepetition() async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      "INSERT INTO user_notification_preferences (user_id, group_updates) VALUES ('\(Person.ben.id)', false)")
    #expect(try await invite(demo).decisions == [.ben: "suppress type_disabled"])
    try await demo.connection.script("UPDATE user_notification_preferences SET group_updates = true")

    #expect(try await invite(demo, "e2").decisions == [.ben: "notify addressee"])
    #expect(try await invite(demo, "e3").decisions == [.ben: "suppress duplicate"])
  }

  /// The app's table of friend requests may be about something else, and an invitation that waits does not look there.
  @Test func anInvitationThatIsDueNeedsNoFriendRequests() async throws {
    let demo = try await Demo(
      besides: ("friend_requests", "id bigserial PRIMARY KEY, from_user_id uuid, to_user_id uuid, status text"))
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES ('\(Person.ben.id)', 'UTC', true, '19:00', '23:00')
      """)
    #expect(try await invite(demo, at: Demo.dayBefore).decisions == [.ben: "hold quiet_hours"])

    let release = try await demo.store().release(at: Demo.dayBefore + 3 * 3_600 + 61, dryRun: false)

    #expect(release.released == 1)
    #expect(try await demo.number("SELECT count(*) FROM deliveries WHERE user_id = \(Person.ben.id)::uuid") == 1)
  }

  @Test(arguments: [
    ("UPDATE group_invites SET status = 'accepted'", "suppress already_handled"),
    (
      "INSERT INTO group_members (group_id, user_id) SELECT group_id, invitee_id FROM group_invites",
      "suppress already_handled"
    ),
    (
      "INSERT INTO user_notification_preferences (user_id, group_updates) VALUES ('\(Person.ben.id)', false)",
      "suppress type_disabled"
    ),
    (
      """
      INSERT INTO group_notification_preferences (user_id, group_id, notification_level)
      SELECT invitee_id, group_id, 'muted' FROM group_invites
      """, "suppress project_muted"
    ),
    ("UPDATE group_invites SET inviter_id = invitee_id", "suppress actor"),
    ("UPDATE group_invites SET inviter_id = NULL", "notify addressee"),
  ])
  func anInvitationDependsOnItsStateAndTheSwitches(change: String, expected: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script(change)

    #expect(try await invite(demo).decisions == [.ben: expected])
  }
}
