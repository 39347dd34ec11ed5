import Postgres

extension KindCase {
  /// Sarah proposes a game night to her friends.
  static let proposals = [
    KindCase(
      app: "lockitin", kind: "proposal_created", people: friends,
      before: group("f4000000-0000-4000-8000-000000000001"),
      act: proposal("'2030-01-05T20:00:00Z'", in: "f4000000-0000-4000-8000-000000000001"),
      pushes: [2: Push(badge: 1), 3: Push(badge: 1)], expiry: deadline),
    KindCase(
      app: "lockitin", kind: "vote_cast", people: friends,
      before: """
        \(openProposal)
        UPDATE event_proposals SET notify_vote_cast = true WHERE id = 'f4000000-0000-4000-8000-000000000001';
        \(vote(of: [3], for: "f5000000-0000-4000-8000-000000000001", at: "now() - interval '1 hour'"));
        """,
      act: vote(of: [2], for: "f5000000-0000-4000-8000-000000000001"), pushes: [1: Push(badge: 1)]),
    KindCase(
      app: "lockitin", kind: "vote_count_update", people: eight,
      before: """
        \(openProposal)
        INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at) VALUES
          ('f4000000-0000-4000-8000-000000000001', 'f4000000-0000-4000-8000-000000000001', '2030-01-14T00:00:00Z',
           '2030-01-14T03:00:00Z');
        \(vote(of: 1...5, for: "f5000000-0000-4000-8000-000000000001", at: "now() - interval '1 day'"));
        \(vote(of: 1...5, for: "f4000000-0000-4000-8000-000000000001", at: "now() - interval '1 hour'"));
        \(settings("timezone", "'America/New_York'", of: 1...8))
        """,
      act: vote(of: [6], for: "f4000000-0000-4000-8000-000000000001"),
      pushes: Dictionary(uniqueKeysWithValues: (1...5).map { ($0, Push(badge: 0)) })),
    KindCase(
      app: "lockitin", kind: "proposal_reminder", people: friends,
      before: """
        \(group(friendsGroup))
        \(proposal("'{tick}'::timestamptz + interval '2 hours'", in: friendsGroup)); \(options)
        UPDATE event_proposals SET created_at = now() - interval '1 hour'
        WHERE id = 'f4000000-0000-4000-8000-000000000001';
        \(vote(of: [2], for: "f5000000-0000-4000-8000-000000000001"));
        """,
      pushes: [1: Push(badge: 1), 3: Push(badge: 1)], expiry: deadline),
    KindCase(
      app: "lockitin", kind: "proposal_updated", people: eight,
      before: """
        \(openProposal)
        \(vote(of: 2...3, for: "f5000000-0000-4000-8000-000000000001"));
        """,
      act: """
        INSERT INTO proposal_options (proposal_id, starts_at, ends_at) VALUES
          ('f4000000-0000-4000-8000-000000000001', '2030-01-15T19:00:00Z', '2030-01-15T23:00:00Z');
        UPDATE event_proposals SET options_version = 2 WHERE id = 'f4000000-0000-4000-8000-000000000001'
        """,
      pushes: [2: Push(badge: 1), 3: Push(badge: 1)], expiry: deadline),
    KindCase(
      app: "lockitin", kind: "event_confirmed", people: [1: "Sarah", 2: "Mike"],
      before: """
        \(openProposal)
        \(settings("timezone, notification_sound", "'America/New_York', 'chime.caf'", of: 1...2))
        """,
      act: """
        INSERT INTO events (id, group_id, proposal_id, option_id, created_by, title, location, starts_at, ends_at) VALUES
          ('f4000000-0000-4000-8000-000000000001', '\(friendsGroup)', 'f4000000-0000-4000-8000-000000000001',
           'f5000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'Game Night',
           'Mike''s Apartment', '2030-01-13T00:00:00Z', '2030-01-13T04:00:00Z');
        UPDATE event_proposals SET status = 'confirmed' WHERE id = 'f4000000-0000-4000-8000-000000000001'
        """,
      pushes: [1: Push(badge: 0), 2: Push(badge: 0)]),
    KindCase(
      app: "lockitin", kind: "conflict_alert", people: [1: "Sarah", 2: "Ben", 3: "Mike"], before: openProposal,
      act: """
        INSERT INTO event_conflicts (proposal_id, user_id, existing_event_id, existing_title) VALUES
          ('f4000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002',
           'fb000000-0000-4000-8000-000000000001', 'Dentist')
        """,
      pushes: [1: Push(variant: "organizer", badge: 1), 2: Push(badge: 1)]),
  ]

  private static let friends = [1: "Sarah", 2: "Mike", 3: "Ben"]
  private static let eight = friends.merging([4: "Dan", 5: "Eva", 6: "Finn", 7: "Grace", 8: "Hugo"]) { $1 }
  private static let deadline: SQL = "(SELECT p.deadline FROM event_proposals p WHERE p.id = n.proposal_id)"

  /// The id of College Friends, except where a payload file has another.
  static let friendsGroup = "f0000000-0000-4000-8000-000000000001"

  /// College Friends, with every person who has a phone.
  static func group(_ id: String) -> String {
    """
    INSERT INTO groups (id, name, created_by) VALUES
      ('\(id)', 'College Friends', 'a0000000-0000-4000-8000-000000000001');
    INSERT INTO group_members (group_id, user_id)
    SELECT '\(id)', id FROM users WHERE id::text LIKE 'a0000000-0000-4000-8000-00000000000_';
    """
  }

  private static func proposal(_ deadline: String, in group: String) -> String {
    """
    INSERT INTO event_proposals (id, group_id, created_by, title, deadline) VALUES
      ('f4000000-0000-4000-8000-000000000001', '\(group)', 'a0000000-0000-4000-8000-000000000001', 'Game Night',
       \(deadline))
    """
  }

  private static let options = """
    INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at) VALUES
      ('f5000000-0000-4000-8000-000000000001', 'f4000000-0000-4000-8000-000000000001', '2030-01-12T19:00:00Z',
       '2030-01-12T23:00:00Z'),
      ('f5000000-0000-4000-8000-000000000002', 'f4000000-0000-4000-8000-000000000001', '2030-01-19T19:00:00Z',
       '2030-01-19T23:00:00Z');
    """

  private static let openProposal =
    "\(group(friendsGroup)) \(proposal("'2030-01-05T20:00:00Z'", in: friendsGroup)); \(options)"

  private static func vote(of people: some Sequence<Int>, for option: String, at time: String = "now()") -> String {
    let rows = people.map { person in
      """
      ('f4000000-0000-4000-8000-000000000001', '\(option)', 'a0000000-0000-4000-8000-00000000000\(person)', 'yes',
       \(time), \(time))
      """
    }
    return """
      INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote, created_at, updated_at) VALUES
      \(rows.joined(separator: ", "))
      """
  }

  /// People's own settings.
  static func settings(_ columns: String, _ values: String, of people: some Sequence<Int>) -> String {
    people.map { person in
      """
      INSERT INTO user_notification_preferences (user_id, \(columns))
      VALUES ('a0000000-0000-4000-8000-00000000000\(person)', \(values));
      """
    }.joined()
  }
}
