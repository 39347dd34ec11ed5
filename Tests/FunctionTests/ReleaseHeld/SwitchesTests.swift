import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import TestSupport
import Testing

@testable import NotificationCreated

/// The switches of LockItIn, for rows that the app inserts itself and again when a held notification comes due.
@Suite(.heavy)
struct SwitchesTests {
  private static let id = "e1000000-0000-4000-8000-000000000001"
  private static let noon = Date(timeIntervalSince1970: 1_790_000_000)
  private static let own = "INSERT INTO user_notification_preferences (user_id, "
  private static let values = ") VALUES ('\(Person.eva.id)', "
  private static let group = "UPDATE group_notification_preferences SET notification_level = 'all', "

  /// A row for Eva; she wants only what is important of the demo's group unless a change says otherwise.
  private func demo(_ kind: String, _ change: String) async throws -> Demo {
    let demo = try await Demo()
    let (reference, value) =
      switch kind {
      case "event_confirmed", "memory_prompt": ("event_id", "fa000000-0000-4000-8000-000000000001")
      case "friend_request": ("friend_request_id", "f7000000-0000-4000-8000-000000000001")
      case "group_invite": ("subject_id", Demo.group)
      default: ("proposal_id", Demo.proposal)
      }
    // As `notification-created` leaves it.
    let importance = Kind.named(kind, of: .lockItIn)?.importance.rawValue ?? ""
    try await demo.connection.script(
      """
      INSERT INTO group_invites (group_id, invitee_id) VALUES ('\(Demo.group)', '\(Person.eva.id)');
      \(change);
      INSERT INTO notifications (id, user_id, app, type, title, body, recipient_reason, importance, created_at,
        \(reference))
      VALUES ('\(Self.id)', '\(Person.eva.id)', 'lockitin', '\(kind)', 'Title', 'Body', 'member', '\(importance)',
        to_timestamp(1790000000), '\(value)');
      """)
    return demo
  }

  private static let cases: [(String, String, String?)] = [
    // Its own switch, then the one that it shares with the proposals.
    ("proposal_reminder", "SELECT", nil),
    ("proposal_reminder", own + "proposal_notifications" + values + "false)", "type_disabled"),
    ("proposal_reminder", own + "proposal_notifications, voting_deadline" + values + "false, true)", nil),
    ("proposal_reminder", own + "proposal_notifications, voting_deadline" + values + "true, false)", "type_disabled"),
    ("event_confirmed", group + "confirmations = NULL", nil),
    (
      "event_confirmed", group + "confirmations = NULL; " + own + "proposal_notifications" + values + "false)",
      "type_disabled"
    ),
    (
      "event_confirmed",
      group + "confirmations = NULL; " + own + "proposal_notifications, confirmations" + values + "false, true)", nil
    ),
    // The group's switches count before the person's; of those that share one, only the deadlines' does so in a group.
    ("proposal_reminder", group + "proposal_notifications = false", "type_disabled"),
    ("proposal_reminder", group + "proposal_notifications = false, voting_deadline = true", nil),
    ("event_confirmed", group + "proposal_notifications = false", nil),
    ("event_confirmed", group + "confirmations = false", "type_disabled"),
    (
      "proposal_created",
      group + "proposal_notifications = true; " + own + "proposal_notifications" + values + "false)", nil
    ),
    // A proposal has a switch of its own for its votes, which are off by default.
    ("vote_cast", group + "vote_cast = NULL", "type_disabled"),
    ("vote_cast", group + "vote_cast = true", nil),
    ("vote_cast", group + "vote_cast = true; UPDATE event_proposals SET notify_vote_cast = false", "type_disabled"),
    ("vote_cast", group + "vote_cast = false; UPDATE event_proposals SET notify_vote_cast = true", nil),
    // What the person lets through from a group, no matter what the row is about.
    ("vote_count_update", "SELECT", "project_muted"),
    ("event_confirmed", "SELECT", "project_muted"),
    ("memory_prompt", "UPDATE events SET starts_at = 'epoch', ends_at = '2001-01-01'", "project_muted"),
    ("group_invite", "UPDATE group_notification_preferences SET notification_level = 'muted'", "project_muted"),
    ("friend_request", "UPDATE group_notification_preferences SET notification_level = 'muted'", nil),
    // Everything off, but for nothing.
    ("proposal_created", own + "notifications_enabled" + values + "false)", "disabled"),
    ("conflict_alert", own + "conflict_alerts" + values + "false)", nil),
    ("conflict_alert", own + "notifications_enabled" + values + "false)", "disabled"),
    ("friend_request", own + "friend_requests" + values + "false)", "type_disabled"),
    ("group_invite", own + "group_updates" + values + "false)", "type_disabled"),
  ]

  @Test(arguments: cases)
  func theyCountForWhatAnAppInserts(kind: String, change: String, reason: String?) async throws {
    let demo = try await demo(kind, change)
    let record: String = try await demo.connection.query("SELECT to_jsonb(n)::text AS record FROM notifications n")
      .only().decode("record")

    let answer = try await demo.run(
      NotificationCreated(store: demo.store()), on: RowEvent.event("INSERT", "notifications", record: record))

    #expect(answer.decisions[.eva] == reason.map { "suppress \($0)" } ?? "notify addressee")
  }

  @Test(arguments: cases)
  func theyCountForWhatComesDue(kind: String, change: String, reason: String?) async throws {
    let demo = try await demo(kind, change)
    try await demo.connection.script(
      """
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'quiet_hours', created_at, created_at FROM notifications;
      """)

    _ = try await demo.store().release(at: Self.noon, dryRun: false)

    let row = try await demo.connection.query("SELECT decision, reason FROM notification_rechecks").only()
    #expect(row["decision"] == (reason == nil ? "notify" : "suppress") && row["reason"] == reason)
  }
}
