import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport
import Testing

@testable import GroupInvited

/// After any fault, hold or limit, each device shows the person's badge.
@Suite(.heavy)
struct ShownBadgeTests {
  @Test(arguments: ShownBadgeCourse.all) func eachDeviceEndsAtTheBadge(_ course: ShownBadgeCourse) async throws {
    let shown = try await ShownBadges()
    let entries = try await shown.scene.fillAdasInbox(3)
    try await shown.scene.demo.connection.script(
      "INSERT INTO badge_losses (user_id, app) VALUES ('\(Person.ada.id)', 'feedbackkit')")
    try await shown.rest()
    #expect(shown.shown["a1"] == 3 && shown.shown["b1"] == 3)

    try await course.run(shown, entries)
    try await shown.rest()

    let badge = try await shown.badge(of: .ada, .feedbackKit)
    #expect(shown.shown["a1"] == badge && shown.shown["b1"] == badge, "\(shown.shown) instead of \(badge)")
  }

  @Test func aDeviceThatHasTheNumberGetsNoPush() async throws {
    let shown = try await ShownBadges()
    let entries = try await shown.scene.fillAdasInbox(3)
    try await ShownBadgeCourse.read(entries[0], shown)
    try await shown.rest()
    let pushes = try await shown.scene.demo.number("SELECT count(*) FROM deliveries")

    try await ShownBadgeCourse.unread(entries[0], shown)
    try await ShownBadgeCourse.read(entries[0], shown)
    try await shown.scene.demo.connection.script(
      "INSERT INTO badge_losses (user_id, app) VALUES ('\(Person.ada.id)', 'feedbackkit')")
    try await shown.send()
    try await shown.rest()

    // The way up made one for each device, which waited until the badge was down again.
    #expect(try await shown.scene.demo.number("SELECT count(*) FROM deliveries") == pushes + 2)
    #expect(shown.shown["a1"] == 2 && shown.shown["b1"] == 2)
  }

  /// Eva is asked for a vote on her phone and her tablet.
  static let changes = [
    // A vote is withdrawn.
    """
    INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote)
    VALUES ('\(Demo.proposal)', '\(Demo.saturday)', '\(Person.eva.id)', 'yes');
    UPDATE device_tokens SET badge = 0; DELETE FROM proposal_votes WHERE user_id = '\(Person.eva.id)'
    """,
    // Its option is deleted.
    """
    INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote)
    VALUES ('\(Demo.proposal)', '\(Demo.saturday)', '\(Person.eva.id)', 'yes');
    UPDATE device_tokens SET badge = 0; DELETE FROM proposal_options WHERE id = '\(Demo.saturday)'
    """,
    // A group is joined.
    """
    DELETE FROM group_members WHERE user_id = '\(Person.eva.id)'; UPDATE device_tokens SET badge = 0;
    DELETE FROM badge_losses;
    INSERT INTO group_members (group_id, user_id)
    SELECT group_id, '\(Person.eva.id)' FROM event_proposals WHERE id = '\(Demo.proposal)'
    """,
    // A proposal is opened again, or gets more time.
    """
    UPDATE event_proposals SET status = 'cancelled'; UPDATE device_tokens SET badge = 0;
    UPDATE event_proposals SET status = 'open'
    """,
    """
    UPDATE event_proposals SET deadline = '2020-01-01'; UPDATE device_tokens SET badge = 0;
    UPDATE event_proposals SET deadline = '2030-01-05 20:00+00'
    """,
    // An invitation.
    """
    UPDATE device_tokens SET badge = 1;
    INSERT INTO group_invites (group_id, invitee_id, status) SELECT group_id, '\(Person.eva.id)', 'pending'
    FROM event_proposals WHERE id = '\(Demo.proposal)';
    INSERT INTO decisions (function, source, event_id, user_id, subject_id, kind, app, decision, reason, recipient_reason,
      created_at)
    SELECT 'group-invited', '/db', 'e', '\(Person.eva.id)', 's', 'group_invite', 'lockitin', 'suppress', 'duplicate',
      'invitee', '2030-01-01'
    """,
  ]

  @Test(arguments: changes, [false, true]) func whatIsAskedAgainRaisesTheBadge(
    change: String, isRead: Bool
  ) async throws {
    let shown = try await ShownBadges()
    // What was noted before is told first.
    try await shown.send()
    try await shown.rest()
    if isRead {
      try await shown.readAll(.eva)
      try await shown.rest()
      #expect(shown.shown["c5"] == 0 && shown.shown["d5"] == 0)
    }
    let alone: SQL = "SELECT count(*) FROM notifications WHERE type = 'badge' AND user_id = \(Person.eva.id)::uuid"
    let before = try await shown.scene.demo.number(alone)
    try await shown.scene.demo.connection.script(isRead ? change.replacing("badge = 1", with: "badge = 0") : change)

    try await shown.rest()

    let badge = try await shown.badge(of: .eva, .lockItIn)
    #expect(badge > 0 && shown.shown["c5"] == badge && shown.shown["d5"] == badge)
    #expect(try await shown.scene.demo.number(alone) == before + 1)
  }

  @Test(arguments: ["friend_requests", "group_invites"], [false, true])
  func whatIsAskedAgainByAnUpdateRaisesTheBadge(table: String, isRead: Bool) async throws {
    let shown = try await ShownBadges()
    if isRead {
      try await shown.readAll(.ben)
      try await shown.rest()
    }
    let row: String = try await shown.scene.demo.connection.query(
      "SELECT id::text FROM \(identifier: table) WHERE status = 'pending' LIMIT 1"
    ).only().decode("id")
    for status in ["declined", "pending"] {
      try await shown.change(table, row, "status = \(status)")
      try await shown.rest()
      #expect(try await shown.shown["c2"] == shown.badge(of: .ben, .lockItIn))
    }
    #expect(shown.shown["c2"] ?? 0 > 0)
  }

  @Test func anInvitationThatIsMadeAgainDoesNotRingAndRaisesTheBadge() async throws {
    let shown = try await ShownBadges()
    let demo = shown.scene.demo
    func invite() async throws {
      let id: String = try await demo.connection.query("SELECT id::text FROM group_invites").only().decode("id")
      let event = RowEvent.event("INSERT", "group_invites", record: #"{"id":"\#(id)"}"#, id: "of \(id)")
      _ = try await demo.run(GroupInvited(store: demo.store()), on: event, at: shown.now)
    }
    try await invite()
    try await shown.rest()
    let before = try await shown.badge(of: .ben, .lockItIn)
    #expect(shown.shown["c2"] == before)

    try await demo.connection.script(
      """
      CREATE TEMP TABLE again AS SELECT * FROM group_invites;
      DELETE FROM group_invites;
      """)
    try await shown.rest()
    #expect(shown.shown["c2"] == before - 1)
    try await demo.connection.script(
      "INSERT INTO group_invites (group_id, inviter_id, invitee_id) SELECT group_id, inviter_id, invitee_id FROM again")
    try await invite()
    try await shown.rest()

    #expect(shown.shown["c2"] == before)
    let rung = "SELECT count(*) FROM notifications WHERE type = 'group_invite' AND pushed_at IS NOT NULL"
    #expect(try await demo.number("\(unescaped: rung)") == 1)
  }

  @Test func aProposalThatClosesAgainLowersTheBadgeAgain() async throws {
    let shown = try await ShownBadges()
    let note = """
      INSERT INTO handled_events (function, source, event_id, result, created_at)
      SELECT 'proposal-expired', '/proposals', id || '/' || extract(epoch FROM deadline), '{}', now()
      FROM event_proposals
      """
    try await shown.scene.demo.connection.script(
      "UPDATE event_proposals SET status = 'cancelled'; \(note); UPDATE event_proposals SET status = 'open'")

    #expect(
      try await shown.scene.demo.number("SELECT count(*) FROM handled_events WHERE function = 'proposal-expired'") == 0)
  }
}
