import DeliveryLive
import FoundationEssentials
import FunctionKit
import Postgres
import StoreLive

@testable import CommentAdded
@testable import ConflictDetected
@testable import EventConfirmed
@testable import EventReminder
@testable import FeedbackCreated
@testable import FriendRequested
@testable import GroupInvited
@testable import NotificationCreated
@testable import ProposalCreated
@testable import ProposalExpired
@testable import ProposalReminder
@testable import ProposalUpdated
@testable import ProposalVoteCast
@testable import StatusChanged
@testable import VoteCast

/// The demo at a moment at which every function has something to say, beside a group of others without odd rows.
struct HostileWorld {
  static let now = Demo.beforeDeadline
  /// All ids of the others begin with it.
  static let others = "cccccccc-0000-4000-8000-"

  let demo: Demo
  private let store: NotificationStore

  init() async throws {
    self.init(
      in: try await Demo(named: "hostile") { demo in
        try await demo.connection.script(Self.script)
        try await HostileWorld(in: demo).holdSomething()
      })
  }

  private init(in demo: Demo) {
    self.demo = demo
    store = demo.store()
  }

  /// The notifications that wait for the end of quiet hours, one of each kind.
  private func holdSomething() async throws {
    try await demo.connection.script(
      """
      INSERT INTO notification_settings (user_id, app, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      SELECT id, 'feedbackkit', true, '00:00', '23:59' FROM users;
      INSERT INTO user_notification_preferences (user_id, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      SELECT id, true, '00:00', '23:59' FROM users
      ON CONFLICT (user_id) DO UPDATE SET quiet_hours_enabled = true, quiet_hours_start = '00:00', quiet_hours_end = '23:59'
      """)
    _ = try await tick(EventReminder(store: store), dryRun: false)
    _ = try await tick(ProposalReminder(store: store), dryRun: false)
    for entrance in Self.entrances { try await entrance.call(self, false) }
    try await demo.connection.script(
      """
      DELETE FROM handled_events; DELETE FROM decisions;
      UPDATE notification_settings SET quiet_hours_enabled = false;
      UPDATE user_notification_preferences SET quiet_hours_enabled = false;
      UPDATE held_notifications SET held_until = '2030-01-01';
      UPDATE notifications SET dedupe_key = NULL
      """)
  }

  private func tick<F: Function>(_ function: F, dryRun: Bool = true) async throws -> Answer where F.Output == RawJSON {
    let event = #"{"specversion":"1.0","id":"\#(F.name)","source":"/schedules","type":"tick","data":{}}"#
    return try await demo.run(function, on: event, dryRun: dryRun, at: Self.now)
  }

  /// The effects of the functions that run by themselves, as far as they concern the others.
  func scheduled() async throws -> [String] {
    let answers = [try await tick(EventReminder(store: store)), try await tick(ProposalReminder(store: store))]
    let decisions = answers.flatMap(\.result.decisions).filter { $0.user.hasPrefix("cccccccc") }
    let released = try await store.release(at: Self.now, dryRun: true)
    let envelope = Envelope(id: "t", source: "/schedules", type: "tick", data: RawJSON(object: [("a", RawJSON(1))]))
    _ = try await ProposalExpired(store: store).handle(
      Event(envelope: envelope, data: try ProposalExpired.payload(envelope.data)),
      Context(function: ProposalExpired.name, dryRun: true, now: Self.now, log: Log { _ in }))
    let due = try await demo.number("SELECT count(*) FROM held_notifications WHERE user_id::text LIKE 'cccccccc-%'")
    let looked = released.released + released.merged + released.held + released.suppressed
    return decisions.map { "\($0.user) \($0.decision) \($0.reason)" }.sorted() + [
      "\(due) held, \(min(due, looked)) looked at"
    ]
  }

  /// A function that hears of a table's rows.
  struct Entrance: Sendable {
    let table: String
    let call: @Sendable (HostileWorld, _ dryRun: Bool) async throws -> Void

    init<F: Function>(
      _ make: @escaping @Sendable (NotificationStore) -> F, of table: String, old: String? = nil
    ) where F.Output == RawJSON {
      self.table = table
      call = { world, dryRun in
        let row = try await world.demo.connection.query(
          """
          SELECT to_jsonb(t)::text AS new, (to_jsonb(t) || \(old ?? "{}")::jsonb)::text AS old FROM \(identifier: table) t
          WHERE to_jsonb(t)::text NOT LIKE '%cccccccc-%' ORDER BY id LIMIT 1
          """
        ).only()
        let event = RowEvent.event(
          old == nil ? "INSERT" : "UPDATE", table, record: try row.decode("new"),
          oldRecord: old == nil ? "null" : try row.decode("old"), id: F.name)
        _ = try await world.demo.run(make(world.store), on: event, dryRun: dryRun, at: HostileWorld.now)
      }
    }
  }

  static let entrances = [
    Entrance(FeedbackCreated.init, of: "feedbacks"), Entrance(CommentAdded.init, of: "comments"),
    Entrance(VoteCast.init, of: "votes"), Entrance(StatusChanged.init, of: "feedbacks", old: #"{"status":"pending"}"#),
    Entrance(FriendRequested.init, of: "friend_requests"), Entrance(GroupInvited.init, of: "group_invites"),
    Entrance(ConflictDetected.init, of: "event_conflicts"), Entrance(ProposalCreated.init, of: "event_proposals"),
    Entrance(ProposalVoteCast.init, of: "proposal_votes"),
    Entrance(ProposalUpdated.init, of: "event_proposals", old: #"{"options_version":0}"#),
    Entrance(EventConfirmed.init, of: "event_proposals", old: #"{"status":"open"}"#),
    Entrance(NotificationCreated.init, of: "notifications"),
  ]

  /// Ada and Ben have an event within the next half hour, one tomorrow and one that is over; so have the others.
  private static let script = """
    INSERT INTO users (id, email, name) VALUES
      ('\(others)000000000001', 'kim@example.com', 'Kim'), ('\(others)000000000002', 'lou@example.com', 'Lou');
    INSERT INTO device_tokens (id, user_id, token, platform, app)
    SELECT ('\(others)1' || right(id::text, 11))::uuid, id, name, 'iOS', 'lockitin' FROM users WHERE id::text LIKE 'cc%';
    INSERT INTO groups (id, name, created_by) VALUES ('\(others)000000000010', 'Others', '\(others)000000000001');
    INSERT INTO group_members (id, group_id, user_id)
    SELECT ('\(others)2' || right(id::text, 11))::uuid, '\(others)000000000010', id FROM users WHERE id::text LIKE 'cc%';
    INSERT INTO user_notification_preferences (id, user_id, day_before_reminders, hourly_limit)
    SELECT ('\(others)3' || right(id::text, 11))::uuid, id, true, 1000 FROM users WHERE id::text LIKE 'cc%';
    INSERT INTO event_proposals (id, group_id, created_by, title, deadline) VALUES
      ('\(others)000000000020', '\(others)000000000010', '\(others)000000000001', 'Tea', '2030-01-05 20:00+00');
    DELETE FROM events;
    INSERT INTO events (id, group_id, created_by, title, location, location_latitude, location_longitude, starts_at, ends_at)
    SELECT (CASE WHEN g.id::text LIKE 'cc%' THEN '\(others)' ELSE 'fa000000-0000-4000-8000-' END
        || '00000000003' || t.n)::uuid, g.id, g.created_by, 'Picnic', 'Park', 52.5, 13.4, t.start, t.start + interval '1 hour'
    FROM groups g, (VALUES (1, '2030-01-05 18:30+00'::timestamptz), (2, '2030-01-06 18:00+00'),
      (3, '2030-01-05 16:00+00')) AS t (n, start)
    WHERE g.name IN ('Others', 'College Friends');
    INSERT INTO event_attendees (event_id, user_id, status, travel_minutes, travel_mode, traffic)
    SELECT e.id, m.user_id, 'yes', 25, 'car', 'light' FROM events e JOIN group_members m USING (group_id)
    ON CONFLICT DO NOTHING;
    INSERT INTO notifications (id, user_id, app, type, title, body, data, entity_id) VALUES
      ('e1000000-0000-4000-8000-000000000009', 'a0000000-0000-4000-8000-000000000001', 'repairminder', 'order_created',
       'New order', 'Order 7', '{"order_number": 7}', '7');
    """
}
