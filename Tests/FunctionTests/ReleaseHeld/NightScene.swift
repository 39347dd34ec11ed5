import DeliveryLive
import FoundationEssentials
import Notifications
import PersonLive
import Postgres
import TestSupport

@testable import CommentAdded
@testable import EventConfirmed
@testable import ProposalCreated

/// Ben and Ada sleep while much happens in their group and project.
struct NightScene {
  static let evening = Demo.dayBefore
  /// By now, everything that waits for the end of the quiet hours, at 23:00, has come due.
  static let awake = evening + 3 * 3_600 + 61

  let demo: Demo

  init() async throws {
    demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO user_notification_preferences (user_id, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES ('\(Person.ben.id)', 'UTC', true, '19:00', '23:00');
      INSERT INTO notification_settings (user_id, app, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES ('\(Person.ada.id)', 'feedbackkit', 'UTC', true, '19:00', '23:00');
      """)
  }

  /// Ben's preferences for LockItIn.
  func set(_ settings: SQL) async throws {
    _ = try await demo.connection.query(
      "UPDATE user_notification_preferences SET \(settings) WHERE user_id = \(Person.ben.id)::uuid")
  }

  /// Events that the group confirms one after the other, called Event 1 and so on.
  func confirm(_ count: Int, visibility: String = "shared_with_name") async throws {
    for number in 1...count {
      let (proposal, start) = (id(number), Self.evening + Double(7 * 24 + number) * 3_600)
      _ = try await demo.connection.query(
        """
        WITH proposal AS (
          INSERT INTO event_proposals (id, group_id, created_by, title, deadline, status, visibility)
          VALUES (\(proposal)::uuid, \(Demo.group)::uuid, \(Person.ada.id)::uuid, \("Event \(number)"), \(start - 3_600),
            'confirmed', \(visibility))
          RETURNING *
        )
        INSERT INTO events (id, group_id, proposal_id, title, starts_at, ends_at)
        SELECT id, group_id, id, title, \(start), \(start + 3_600) FROM proposal
        """)
      let event = RowEvent.event(
        "UPDATE", "event_proposals", record: #"{"id":"\#(proposal)","status":"confirmed"}"#,
        oldRecord: #"{"id":"\#(proposal)","status":"open"}"#, id: "confirmed \(number)")
      _ = try await demo.run(
        EventConfirmed(store: demo.store()), on: event, at: Self.evening + Double(number) * 60)
    }
  }

  /// The demo's proposal, on which Ben has not voted yet.
  func propose() async throws {
    try await demo.connection.script("DELETE FROM proposal_votes")
    _ = try await demo.run(ProposalCreated(store: demo.store()), on: RowEvent.proposal("INSERT"), at: Self.evening)
  }

  /// Comments on feedbacks of Ada's project.
  func comment(_ count: Int) async throws {
    for number in 1...count {
      _ = try await demo.connection.query(
        """
        WITH about AS (
          INSERT INTO feedbacks (id, title, user_id, project_id)
          SELECT \(id(number))::uuid, \("Idea \(number)"), 'sdk', project_id FROM feedbacks
          WHERE id = \(RowEvent.feedback)::uuid
          RETURNING id
        )
        INSERT INTO comments (id, content, user_id, feedback_id) SELECT id, 'Yes', 'sdk-2', id FROM about
        """)
      let record = #"{"id":"\#(id(number))","feedback_id":"\#(id(number))"}"#
      let event = RowEvent.event("INSERT", "comments", record: record, id: "comment \(number)")
      _ = try await demo.run(CommentAdded(store: demo.store()), on: event, at: Self.evening + Double(number))
    }
  }

  func release(at time: Date = awake) async throws -> ReleaseResult {
    try await demo.store().release(at: time, dryRun: false)
  }

  func claim(at time: Date = awake) async throws -> DeliveryBatch {
    try await DeliveryStore.postgres(demo.connection).claim(100, PushProvider.allCases, time)
  }

  /// The words of the pushes to somebody, in the order of their texts.
  func pushes(to person: Person = .ben, in app: App = .lockItIn) async throws -> [String] {
    try await demo.connection.query(
      """
      SELECT title || ' / ' || body AS text FROM notifications
      WHERE user_id = \(person.id)::uuid AND app = \(app.rawValue) AND pushed_at IS NOT NULL ORDER BY 1
      """
    ).decode("text")
  }

  /// How many unread entries somebody has.
  func unread(of person: Person = .ben) async throws -> Int {
    try await demo.number(
      """
      SELECT count(*) FROM notifications
      WHERE user_id = \(person.id)::uuid AND is_read IS NOT TRUE AND is_archived IS NOT TRUE
      """)
  }

  private func id(_ number: Int) -> String { "e5000000-0000-4000-8000-00000000000\(number)" }
}
