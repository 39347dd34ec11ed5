import DeliveryLive
import FoundationEssentials
import PersonLive
import Postgres
import TestSupport
import Testing

/// The state of the request or the news of a notification, when it comes due after a while.
@Suite(.heavy)
struct EligibilityTests {
  private static let noon = Date(timeIntervalSince1970: 1_790_000_000)

  /// A kind of notification that is held for somebody.
  enum Held: String, CaseIterable {
    case comment, ownComment, proposal, update, reminder, vote, event, friendRequest, groupInvite, plain

    fileprivate var person: Person {
      switch self {
      case .comment, .plain, .proposal, .update, .reminder, .event: .eva
      case .vote: .ada
      case .ownComment: .grace
      case .friendRequest, .groupInvite: .ben
      }
    }

    fileprivate var columns: [(String, String)] {
      let id: (String) -> String = { "\($0)000000-0000-4000-8000-000000000001" }
      let feedback = [
        ("app", "feedbackkit"), ("type", "new_comment"), ("project_id", id("b0")), ("feedback_id", id("c0")),
      ]
      func about(_ kind: String, _ column: String, _ value: String) -> [(String, String)] {
        [("app", "lockitin"), ("type", kind), ("recipient_reason", "member"), (column, value)]
      }
      return switch self {
      case .comment: feedback + [("recipient_reason", "member")]
      case .ownComment: feedback + [("recipient_reason", "submitter")]
      case .proposal: about("proposal_created", "proposal_id", id("f4"))
      case .update: about("proposal_updated", "proposal_id", id("f4"))
      case .reminder: about("proposal_reminder", "proposal_id", id("f4"))
      case .vote: about("vote_cast", "proposal_id", id("f4"))
      case .event: about("event_confirmed", "event_id", id("fa"))
      case .friendRequest: about("friend_request", "friend_request_id", id("f7"))
      case .groupInvite: about("group_invite", "subject_id", "f0000000-0000-4000-8000-000000000002")
      case .plain: [("app", "repairminder"), ("type", "payment_received")]
      }
    }
  }

  /// A request to vote that Eva was sent so many seconds ago, or that is due with the reminder, or only later.
  private static func asked(since seconds: Int?, later: Bool = false) -> String {
    """
    INSERT INTO notifications (id, user_id, app, type, title, proposal_id, pushed_at)
    VALUES ('ad000000-0000-4000-8000-000000000001', '\(Person.eva.id)', 'lockitin', 'proposal_created', 'Vote',
      'f4000000-0000-4000-8000-000000000001', \(seconds.map { "to_timestamp(1790000000 - \($0))" } ?? "NULL"));
    INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
    SELECT id, user_id, app, 'quiet_hours', to_timestamp(\(later ? 1_790_000_060 : 1_790_000_000)), created_at
    FROM notifications WHERE type = 'proposal_created' AND \(seconds == nil)
    """
  }

  @Test(arguments: [
    ("SELECT", "open"), ("UPDATE events SET is_tracked = false", "gone"),
    ("UPDATE events SET ends_at = to_timestamp(1790000001)", "gone"),
    ("UPDATE events SET status = 'cancelled'", "gone"),
  ])
  func memoriesAreAskedForWhenATrackedEventIsOver(change: String, expected: String) async throws {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      UPDATE events SET starts_at = 'epoch', ends_at = to_timestamp(1790000000);
      INSERT INTO notifications (user_id, app, type, title, recipient_reason, event_id)
      VALUES ('\(Person.eva.id)', 'lockitin', 'memory_prompt', 'How was it?', 'member', 'fa000000-0000-4000-8000-000000000001');
      \(change)
      """)

    let row = try await demo.connection.query("SELECT push_eligibility(n, \(Self.noon)) AS answer FROM notifications n")

    #expect(try row.only().decode("answer", as: String.self) == expected)
  }

  private func eligibility(of held: Held, after change: String) async throws -> (Demo, String) {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO notifications (user_id, title, body, created_at, \(held.columns.map(\.0).joined(separator: ", ")))
      VALUES ('\(held.person.id)', 'Title', 'Body', to_timestamp(1790000000),
        \(held.columns.map { "'\($0.1)'" }.joined(separator: ", ")));
      \(change);
      """)
    let row = try await demo.connection.query(
      """
      SELECT push_eligibility(n, \(Self.noon)) AS answer FROM notifications n
      WHERE id <> 'ad000000-0000-4000-8000-000000000001'
      """)
    return (demo, try row.only().decode("answer"))
  }

  @Test(arguments: Held.allCases)
  func whatNobodyTouchedIsOpen(held: Held) async throws {
    #expect(try await eligibility(of: held, after: "SELECT").1 == "open")
  }

  @Test(arguments: Held.allCases, ["is_read", "is_archived"])
  func whatWasSeenOrPutAwayIsHandled(held: Held, column: String) async throws {
    #expect(try await eligibility(of: held, after: "UPDATE notifications SET \(column) = true").1 == "handled")
  }

  /// Whom only a table of the app's keeps is told nothing of any kind.
  @Test(arguments: Held.allCases)
  func whoIsGoneIsToldNothing(held: Held) async throws {
    #expect(
      try await eligibility(of: held, after: "INSERT INTO push_gone_people VALUES ('\(held.person.id)')").1 == "gone")
    let other = held.person == .eva ? Person.ada : .eva
    #expect(try await eligibility(of: held, after: "INSERT INTO push_gone_people VALUES ('\(other.id)')").1 == "open")
  }

  @Test(
    arguments: [
      (.comment, "DELETE FROM project_members", "not_permitted"),
      (.ownComment, "DELETE FROM project_members", "open"),
      (.comment, "DELETE FROM project_members; UPDATE projects SET owner_id = '\(Person.eva.id)'", "open"),
      (.comment, "DELETE FROM project_members WHERE user_id <> '\(Person.eva.id)'", "open"),
      (.proposal, "DELETE FROM group_members", "not_permitted"),
      (.vote, "DELETE FROM group_members", "not_permitted"),
      (.proposal, "UPDATE event_proposals SET status = 'cancelled'", "handled"),
      (.update, "UPDATE event_proposals SET status = 'confirmed'", "handled"),
      (.reminder, "UPDATE event_proposals SET status = 'expired'", "handled"),
      (.vote, "UPDATE event_proposals SET status = 'confirmed'", "handled"),
      (.proposal, "UPDATE event_proposals SET deadline = to_timestamp(1790000000)", "handled"),
      (.proposal, "UPDATE event_proposals SET deadline = to_timestamp(1790000000.001)", "open"),
      (.reminder, votes(of: .eva), "handled"),
      (.update, votes(of: .eva), "handled"),
      (.reminder, votes(of: .hugo), "open"),
      (.vote, votes(of: .ada), "open"),
      (.reminder, asked(since: 1_799), "handled"), (.reminder, asked(since: 1_801), "open"),
      (.reminder, asked(since: nil), "handled"), (.reminder, asked(since: nil, later: true), "open"),
      (.event, "UPDATE events SET starts_at = 'epoch', ends_at = to_timestamp(1790000000)", "gone"),
      (.event, "UPDATE events SET starts_at = 'epoch', ends_at = to_timestamp(1790000000.001)", "open"),
      (.event, "UPDATE events SET status = 'cancelled'", "gone"),
      (.event, "UPDATE events SET status = 'cancelled' WHERE title <> 'Picnic'", "open"),
      (.event, "DELETE FROM group_members WHERE user_id = '\(Person.eva.id)'", "not_permitted"),
      (.event, "DELETE FROM group_members WHERE user_id <> '\(Person.eva.id)'", "open"),
      (.event, "DELETE FROM group_members; UPDATE events SET status = 'cancelled'", "gone"),
      (.friendRequest, "UPDATE friend_requests SET status = 'accepted'", "handled"),
      (.friendRequest, "UPDATE friend_requests SET status = 'declined'", "handled"),
      (.groupInvite, "UPDATE group_invites SET status = 'accepted'", "handled"),
      (.groupInvite, "UPDATE group_invites SET status = 'declined'", "handled"),
      (.groupInvite, "DELETE FROM group_invites", "handled"),
      (.groupInvite, "UPDATE group_invites SET status = 'accepted'; \(secondInvite)", "open"),
    ] as [(Held, String, String)])
  func whatHappenedMeanwhileDecides(held: Held, change: String, expected: String) async throws {
    #expect(try await eligibility(of: held, after: change).1 == expected)
  }

  @Test(
    arguments: [
      (.comment, "DELETE FROM project_members", "not_permitted"), (.proposal, votes(of: .eva), "already_handled"),
      (.event, "UPDATE events SET status = 'cancelled'", "subject_gone"),
      (.groupInvite, "UPDATE group_invites SET status = 'declined'", "already_handled"),
    ] as [(Held, String, String)])
  func whatIsNoLongerOpenLeavesTheInboxUnsent(held: Held, change: String, reason: String) async throws {
    let (demo, _) = try await eligibility(of: held, after: change)
    try await demo.connection.script(
      """
      UPDATE group_notification_preferences SET notification_level = 'all';
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'quiet_hours', created_at, created_at FROM notifications;
      """)

    let release = try await demo.store().release(at: Self.noon, dryRun: false)

    #expect(release.suppressed == 1 && release.released == 0)
    #expect(try await demo.connection.query("SELECT reason FROM notification_rechecks").only()["reason"] == reason)
    #expect(try await demo.number("SELECT count(*) FROM notifications WHERE is_archived AND payload IS NULL") == 1)
    #expect(try await demo.number("SELECT count(*) FROM deliveries") == 0)
    #expect(try await demo.number("SELECT count(*) FROM held_notifications") == 0)
  }

  @Test(arguments: Held.allCases, ["open", "handled"])
  func capitalsMakeNoKindOfTheirOwn(held: Held, eligibility: String) async throws {
    let meanwhile = eligibility == "open" ? "SELECT" : "UPDATE event_proposals SET status = 'confirmed'"
    let usual = try await self.eligibility(of: held, after: meanwhile).1

    let renaming = "UPDATE notifications SET type = upper(type); \(meanwhile)"
    let capitals = try await self.eligibility(of: held, after: renaming).1

    #expect(capitals == usual)
  }

  private static func votes(of person: Person) -> String {
    """
    INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote)
    VALUES ('\(Demo.proposal)', '\(Demo.sunday)', '\(person.id)', 'no')
    """
  }

  private static let secondInvite = """
    INSERT INTO group_invites (group_id, invitee_id) VALUES ('f0000000-0000-4000-8000-000000000002', '\(Person.ben.id)')
    """
}
