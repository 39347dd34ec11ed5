import Postgres

extension KindCase {
  /// LockItIn's notifications about a picnic and about people.
  static let events = [
    KindCase(
      app: "lockitin", kind: "event_day_before", people: attendees,
      before: """
        \(picnic(from: "interval '1 day'", to: "interval '26 hours'"))
        \(settings("day_before_reminders", "true", of: [1]))
        """,
      pushes: [1: Push(badge: 0)], expiry: start),
    KindCase(
      app: "lockitin", kind: "event_starting_soon", people: attendees,
      before: picnic(from: "interval '30 minutes'", to: "interval '4 hours'"),
      pushes: [1: Push(badge: 0), 2: Push(badge: 0)], expiry: start),
    KindCase(
      app: "lockitin", kind: "time_to_leave", people: attendees,
      before: """
        \(picnic(from: "interval '40 minutes'", to: "interval '4 hours'"))
        UPDATE event_attendees SET travel_minutes = 25, travel_mode = 'car', traffic = 'light'
        WHERE user_id = 'a0000000-0000-4000-8000-000000000001';
        """,
      pushes: [1: Push(badge: 0)], expiry: start),
    KindCase(
      app: "lockitin", kind: "memory_prompt", people: attendees,
      before: picnic(from: "interval '-4 hours'", to: "interval '-10 minutes'"),
      pushes: [1: Push(badge: 0), 2: Push(badge: 0)], priority: 5,
      expiry: "(SELECT e.ends_at + interval '3 days' FROM events e WHERE e.id = n.event_id)"),
    KindCase(
      app: "lockitin", kind: "friend_request", people: [2: "Ben", 8: "Hugo"],
      act: """
        INSERT INTO friend_requests (id, requester_id, recipient_id) VALUES
          ('f7000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000008',
           'a0000000-0000-4000-8000-000000000002')
        """,
      pushes: [2: Push(badge: 1)]),
    KindCase(
      app: "lockitin", kind: "group_invite", people: [2: "Ben", 8: "Hugo"],
      before: """
        INSERT INTO groups (id, name, created_by) VALUES
          ('f0000000-0000-4000-8000-000000000002', 'Book Club', 'a0000000-0000-4000-8000-000000000008');
        """,
      act: """
        INSERT INTO group_invites (group_id, inviter_id, invitee_id) VALUES
          ('f0000000-0000-4000-8000-000000000002', 'a0000000-0000-4000-8000-000000000008',
           'a0000000-0000-4000-8000-000000000002')
        """,
      pushes: [2: Push(badge: 1)]),
  ]

  private static let attendees = [1: "Ada", 2: "Ben", 3: "Eva"]
  private static let start: SQL = "(SELECT e.starts_at FROM events e WHERE e.id = n.event_id)"

  /// A picnic to which Ada and perhaps Ben come, and Eva does not.
  private static func picnic(from start: String, to end: String) -> String {
    """
    \(group(friendsGroup))
    INSERT INTO events
      (id, group_id, created_by, title, location, location_latitude, location_longitude, starts_at, ends_at)
    VALUES ('fa000000-0000-4000-8000-000000000001', '\(friendsGroup)', 'a0000000-0000-4000-8000-000000000001', 'Picnic',
      'Mauerpark', 52.5433, 13.4026, '{tick}'::timestamptz + \(start), '{tick}'::timestamptz + \(end));
    INSERT INTO event_attendees (event_id, user_id, status) VALUES
      ('fa000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'yes'),
      ('fa000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002', 'maybe'),
      ('fa000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000003', 'no');
    """
  }
}
