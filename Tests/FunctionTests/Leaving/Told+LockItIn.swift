import Notifications

@testable import ConflictDetected
@testable import EventConfirmed
@testable import EventReminder
@testable import FriendRequested
@testable import GroupInvited
@testable import ProposalCreated
@testable import ProposalReminder
@testable import ProposalUpdated
@testable import ProposalVoteCast

extension Told {
  /// The notifications of LockItIn around a proposal or an event of a group, at 20:00 on 4 January 2030.
  static let lockItIn: [String: Told] = [
    "proposal_created": Told(
      facts: proposal(by: "q"), event: event("INSERT", "event_proposals", #"{"id":"\#(gameNight)"}"#),
      run: { _ = try await $1.run(ProposalCreated(store: $1.store()), on: $0, at: $2) }, end: cancelled,
      change: retitled),
    "proposal_updated": Told(
      facts: "\(proposal(by: "q")); \(vote(of: "{p}", "yes", on: saturday, id("e9")))",
      act: "UPDATE event_proposals SET options_version = 2 WHERE id = '\(gameNight)'",
      event: event(
        "UPDATE", "event_proposals", #"{"id":"\#(gameNight)","options_version":2}"#,
        from: #"{"id":"\#(gameNight)","options_version":1}"#),
      run: { _ = try await $1.run(ProposalUpdated(store: $1.store()), on: $0, at: $2) }, end: cancelled,
      change: retitled),
    "proposal_reminder": Told(
      facts: proposal(by: "q", until: "2030-01-04 21:55+00"), event: tick,
      run: { _ = try await $1.run(ProposalReminder(store: $1.store()), on: $0, at: $2) },
      end: vote(of: "{p}", "no", on: saturday, id("e9")), change: retitled),
    "vote_cast": Told(
      facts: "\(proposal(by: "p")); UPDATE event_proposals SET notify_vote_cast = true WHERE id = '\(gameNight)'",
      act: vote(of: voter, "maybe", on: saturday, act), event: voted("maybe", on: saturday), run: castVote,
      end: withdrawn, change: retitled),
    "vote_count_update": Told(
      facts: "\(proposal(by: "q")); \(vote(of: "{p}", "maybe", on: saturday, id("e9")))",
      act: vote(of: voter, "yes", on: option, act), event: voted("yes", on: option), run: castVote, end: withdrawn,
      change: "UPDATE proposal_options SET starts_at = '2030-01-14 09:00+00' WHERE proposal_id = '\(gameNight)'",
      before: ["7pm"], after: "Mon 9am now winning!"),
    // No kind, but told, too: the number of voters, in the background.
    "vote_count": Told(
      facts: "\(proposal(by: "q")); \(vote(of: "{p}", "maybe", on: saturday, id("e9")))",
      act: vote(of: "{q}", "maybe", on: saturday, act), event: voted("maybe", on: saturday), run: castVote,
      end: cancelled, change: withdrawn, before: [#""vote_count":2"#], after: #""vote_count":1"#),
    "event_confirmed": Told(
      facts: """
        \(proposal(by: "q")); UPDATE event_proposals SET status = 'confirmed' WHERE id = '\(gameNight)';
        INSERT INTO events (id, group_id, proposal_id, title, starts_at, ends_at) VALUES
          ('\(picnic)', '\(crew)', '\(gameNight)', 'Game Night', '2030-01-12 19:00+00', '2030-01-12 23:00+00')
        """,
      event: event(
        "UPDATE", "event_proposals", #"{"id":"\#(gameNight)","status":"confirmed"}"#,
        from: #"{"id":"\#(gameNight)","status":"open"}"#),
      run: { _ = try await $1.run(EventConfirmed(store: $1.store()), on: $0, at: $2) }, end: calledOff, change: renamed),
    "event_day_before": reminder(
      from: "2030-01-05 20:00", to: "2030-01-05 22:00", "day_before_reminders = true"),
    "event_starting_soon": reminder(from: "2030-01-04 20:30", to: "2030-01-04 22:00"),
    "time_to_leave": reminder(
      from: "2030-01-04 20:40", to: "2030-01-04 22:00", travel: 25, end: travel(4), change: travel(35),
      before: ["25 min"], after: "35 min away"),
    "memory_prompt": reminder(
      from: "2030-01-04 17:00", to: "2030-01-04 19:50",
      end: "UPDATE events SET is_tracked = false WHERE id = '\(picnic)'"),
    "conflict_alert": Told(
      facts: proposal(by: "p"),
      act: """
        INSERT INTO event_conflicts (id, proposal_id, user_id, existing_title) VALUES
          ('\(act)', '\(gameNight)', '\(voter)', 'Dentist')
        """,
      event: event("INSERT", "event_conflicts", #"{"id":"\#(act)"}"#),
      run: { _ = try await $1.run(ConflictDetected(store: $1.store()), on: $0, at: $2) },
      end: "DELETE FROM event_conflicts WHERE proposal_id = '\(gameNight)'", change: retitled),
    "friend_request": Told(
      facts: "INSERT INTO friend_requests (id, requester_id, recipient_id) VALUES ('\(id("f7"))', '{q}', '{p}')",
      event: event("INSERT", "friend_requests", #"{"id":"\#(id("f7"))"}"#),
      run: { _ = try await $1.run(FriendRequested(store: $1.store()), on: $0, at: $2) },
      end: "UPDATE friend_requests SET status = 'declined' WHERE id = '\(id("f7"))'",
      change: "UPDATE users SET name = 'Quiz' WHERE id = '{q}'", before: ["Ann"]),
    "group_invite": Told(
      facts: """
        INSERT INTO groups (id, name, created_by) VALUES ('\(crew)', 'Crew', '{q}');
        INSERT INTO group_invites (id, group_id, inviter_id, invitee_id) VALUES ('\(id("f8"))', '\(crew)', '{q}', '{p}')
        """,
      event: event("INSERT", "group_invites", #"{"id":"\#(id("f8"))"}"#),
      run: { _ = try await $1.run(GroupInvited(store: $1.store()), on: $0, at: $2) },
      end: "UPDATE group_invites SET status = 'declined' WHERE id = '\(id("f8"))'",
      change: "UPDATE groups SET name = 'Quiz' WHERE id = '\(crew)'", before: ["Crew"]),
  ]

  private static let (crew, gameNight, picnic) = (id("f0"), id("f4"), id("fa"))
  private static let (saturday, sunday) = (id("f5"), id("f6"))
  /// The first act is that of one of the others, for Sunday; the second the other one's, for Saturday.
  private static let (voter, option) = ("{voter}", "f{option}000000-0000-4000-8000-000000000{k}")
  private static let retitled = "UPDATE event_proposals SET title = 'Quiz' WHERE id = '\(gameNight)'"
  private static let renamed = "UPDATE events SET title = 'Quiz' WHERE id = '\(picnic)'"
  private static let cancelled = "UPDATE event_proposals SET status = 'cancelled' WHERE id = '\(gameNight)'"
  private static let calledOff = "UPDATE events SET status = 'cancelled' WHERE id = '\(picnic)'"
  private static let withdrawn = "DELETE FROM proposal_votes WHERE proposal_id = '\(gameNight)' AND user_id <> '{p}'"
  private static let castVote: Run = { _ = try await $1.run(ProposalVoteCast(store: $1.store()), on: $0, at: $2) }

  private static func travel(_ minutes: Int) -> String {
    "UPDATE event_attendees SET travel_minutes = \(minutes) WHERE event_id = '\(picnic)'"
  }

  private static func vote(of person: String, _ vote: String, on option: String, _ id: String) -> String {
    """
    INSERT INTO proposal_votes (id, proposal_id, option_id, user_id, vote) VALUES
      ('\(id)', '\(gameNight)', '\(option)', '\(person)', '\(vote)')
    """
  }

  private static func voted(_ vote: String, on option: String) -> @Sendable (String) -> String {
    event(
      "INSERT", "proposal_votes",
      #"{"id":"\#(act)","proposal_id":"\#(gameNight)","option_id":"\#(option)","user_id":"\#(voter)","vote":"\#(vote)"}"#
    )
  }

  private static let tick: @Sendable (String) -> String = { id in
    #"{"specversion":"1.0","id":"\#(id)","source":"/schedules","type":"tick","data":{}}"#
  }

  private static let group = """
    INSERT INTO groups (id, name, created_by) VALUES ('\(crew)', 'Crew', '{q}');
    INSERT INTO group_members (group_id, user_id) VALUES ('\(crew)', '{p}'), ('\(crew)', '{q}'), ('\(crew)', '{r}')
    """

  private static func proposal(by person: String, until deadline: String = "2030-01-08 20:00+00") -> String {
    """
    \(group);
    INSERT INTO event_proposals (id, group_id, created_by, title, deadline, created_at) VALUES
      ('\(gameNight)', '\(crew)', '{\(person)}', 'Game Night', '\(deadline)', '2030-01-03 20:00+00');
    INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at) VALUES
      ('\(saturday)', '\(gameNight)', '2030-01-12 19:00+00', '2030-01-12 23:00+00'),
      ('\(sunday)', '\(gameNight)', '2030-01-13 19:00+00', '2030-01-13 23:00+00')
    """
  }

  /// A reminder of an event to which the person comes.
  private static func reminder(
    from start: String, to end: String, _ setting: String = "event_reminders = true", travel: Int? = nil,
    end untrue: String = calledOff, change: String = renamed, before: [String] = ["Game Night"], after: String = "Quiz"
  ) -> Told {
    Told(
      facts: """
        \(group); UPDATE user_notification_preferences SET \(setting) WHERE user_id = '{p}';
        INSERT INTO events (id, group_id, title, starts_at, ends_at) VALUES
          ('\(picnic)', '\(crew)', 'Game Night', '\(start)+00', '\(end)+00');
        INSERT INTO event_attendees (event_id, user_id, status, travel_minutes) VALUES
          ('\(picnic)', '{p}', 'yes', \(travel.map(String.init) ?? "NULL"))
        """,
      event: tick, run: { _ = try await $1.run(EventReminder(store: $1.store()), on: $0, at: $2) }, end: untrue,
      change: change, before: before, after: after)
  }
}
