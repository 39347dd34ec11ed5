import FoundationEssentials
import PersonLive
import Postgres
import TestSupport
import Testing

/// The badges of people after something that they count was deleted.
@Suite(.heavy)
struct BadgeLossTests {
  private static let everyoneAsked = ["c1 0", "c5 0", "d5 0"]

  /// Deletes something, tells the function of the noted losses, and answers with the badges that go out.
  private func badges(after script: String, in scene: BadgeScene) async throws -> [String] {
    try await scene.demo.connection.script("DELETE FROM badge_losses; \(script)")
    for event in try await losses(scene) { try await scene.tell(event) }
    return try await scene.send()
  }

  private func losses(_ scene: BadgeScene) async throws -> [String] {
    let rows = try await scene.demo.connection.query(
      "SELECT id::text, to_jsonb(l)::text AS row FROM badge_losses l ORDER BY id")
    return try rows.map { row in
      RowEvent.event("INSERT", "badge_losses", record: try row.decode("row"), id: try row.decode("id"))
    }
  }

  @Test(arguments: [
    ("DELETE FROM group_members WHERE user_id = '\(Person.eva.id)'", ["c5 0", "d5 0"]),
    ("DELETE FROM event_proposals WHERE id = '\(Demo.proposal)'", everyoneAsked),
    ("DELETE FROM groups WHERE name = 'College Friends'", everyoneAsked),
    ("DELETE FROM group_members; DELETE FROM groups WHERE name = 'College Friends'", everyoneAsked),
    ("DELETE FROM proposal_options WHERE id = '\(Demo.saturday)'", ["c2 3"]),
    ("DELETE FROM friend_requests", ["c2 1"]), ("DELETE FROM group_invites", ["c2 1"]),
    ("DELETE FROM groups WHERE name = 'Book Club'", ["c2 1"]),
    ("DELETE FROM users WHERE name = 'Hugo'", ["c2 1"]),
    ("DELETE FROM users WHERE name = 'Ada'", ["c5 0", "d5 0"]),
    ("UPDATE event_proposals SET status = 'cancelled'; DELETE FROM event_proposals", everyoneAsked),
    ("UPDATE event_proposals SET deadline = '2030-01-04 20:00:59+00'; DELETE FROM event_proposals", everyoneAsked),
  ])
  func whoWasAskedByWhatIsGoneIsToldOnTheirDevices(deletion: String, told: [String]) async throws {
    let scene = try await BadgeScene()

    #expect(try await badges(after: deletion, in: scene) == told)
    #expect(try await badges(after: "SELECT", in: scene).isEmpty)
  }

  @Test(arguments: [
    "DELETE FROM group_members WHERE user_id = '\(Person.ben.id)'",
    "DELETE FROM events",
    "UPDATE friend_requests SET status = 'accepted'; DELETE FROM friend_requests",
    "UPDATE group_invites SET status = 'declined'; DELETE FROM group_invites",
    "UPDATE event_proposals SET deadline = '2030-01-02'; DELETE FROM event_proposals",
    """
    UPDATE event_proposals SET status = 'cancelled';
    INSERT INTO handled_events (function, source, event_id, created_at)
    SELECT 'proposal-expired', '/proposals', id || '/' || extract(epoch FROM deadline), now() FROM event_proposals;
    DELETE FROM event_proposals
    """,
    """
    INSERT INTO notification_state (user_id, app, all_read_at) SELECT id, 'lockitin', '2040-01-01' FROM users
    ON CONFLICT (user_id, app) DO UPDATE SET all_read_at = excluded.all_read_at;
    DELETE FROM event_proposals
    """,
  ])
  func nobodyIsToldWhoseBadgeDidNotFall(deletion: String) async throws {
    let scene = try await BadgeScene()

    #expect(try await badges(after: deletion, in: scene).isEmpty)
  }

  @Test func aFeedbackTakesItsNotificationsOutOfTheBadge() async throws {
    let scene = try await BadgeScene()
    _ = try await scene.fillAdasInbox(5)
    let about = "UPDATE notifications SET feedback_id = '\(RowEvent.feedback)' WHERE id IN"
    try await scene.demo.connection.script(
      "\(about) (SELECT id FROM notifications WHERE app = 'feedbackkit' ORDER BY id LIMIT 3)")

    #expect(try await badges(after: "DELETE FROM feedbacks", in: scene) == ["a1 2", "b1 2"])
  }

  @Test(arguments: [
    "is_read = true", "is_archived = true", "counts_for_badge = false", "merged_into = id", "expires_at = '2029-01-01'",
  ])
  func aNotificationThatWasNotCountedLowersNothing(change: String) async throws {
    let scene = try await BadgeScene()
    _ = try await scene.fillAdasInbox(1)
    let script = "UPDATE notifications SET \(change) WHERE app = 'feedbackkit'; DELETE FROM notifications"

    #expect(try await badges(after: script, in: scene).isEmpty)
  }

  @Test func aRepeatedEventHasNoFurtherEffect() async throws {
    let scene = try await BadgeScene()
    #expect(try await badges(after: "DELETE FROM event_proposals", in: scene) == Self.everyoneAsked)
    // An alert in between removes what is known of the devices.
    try await scene.demo.connection.script("UPDATE device_tokens SET last_accepted_at = now()")

    for event in try await losses(scene) { try await scene.tell(event) }

    #expect(try await scene.send().isEmpty)
  }

  @Test func whatIsRolledBackIsNoLoss() async throws {
    let scene = try await BadgeScene()
    struct Undo: Error {}
    try await scene.demo.connection.script("DELETE FROM badge_losses")
    await #expect(throws: Undo.self) {
      try await scene.demo.connection.transaction { transaction in
        _ = try await transaction.query("DELETE FROM event_proposals")
        throw Undo()
      }
    }

    #expect(try await losses(scene).isEmpty)
  }
}
