import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport
import Testing

@testable import ReleaseHeld
@testable import VoteCast

/// The submitter of a feedback, who has a device, and others who vote for it.
struct DeliveryPolicyScene {
  static let submitter = "a0000000-0000-4000-8000-000000000001"

  let demo: Demo
  let person: UUID

  init() async throws {
    demo = try await Demo()
    person = try await demo.connection.query(
      """
      SELECT coalesce(u.id, e.id) AS id FROM feedbacks f
      LEFT JOIN users u ON u.id = push_uuid(f.user_id)
      LEFT JOIN users e ON lower(e.email) = lower(f.user_email)
      WHERE f.id = \(RowEvent.feedback)::uuid
      """
    ).only().decode("id")
  }

  /// A vote of somebody new at an instant.
  @discardableResult
  func vote(_ number: Int, at time: Date, _ event: String? = nil) async throws -> Answer {
    let id = "f0000000-0000-4000-8000-\(String(100_000_000_000 + number))"
    _ = try await demo.connection.query(
      """
      INSERT INTO votes (id, user_id, feedback_id) VALUES (\(id)::uuid, \("sdk-\(number)"), \(RowEvent.feedback)::uuid)
      ON CONFLICT DO NOTHING
      """)
    let record = #"{"id":"\#(id)","feedback_id":"\#(RowEvent.feedback)","user_id":"sdk-\#(number)"}"#
    let event = RowEvent.event("INSERT", "votes", record: record, id: event ?? "vote-\(number)")
    return try await demo.run(VoteCast(store: demo.store()), on: event, at: time)
  }

  /// Releases what is due.
  func release(at time: Date) async throws -> ReleaseResult {
    try await demo.store().release(at: time, dryRun: false)
  }

  /// The pushes of the person in the order in which they went out.
  func pushes() async throws -> [(body: String, collapseID: String, time: Date)] {
    try await demo.connection.query(
      """
      SELECT n.body, n.collapse_id, n.pushed_at FROM notifications n
      WHERE n.user_id = \(person) AND n.pushed_at IS NOT NULL ORDER BY n.pushed_at
      """
    ).map { (try $0.decode("body"), try $0.decode("collapse_id"), try $0.decode("pushed_at")) }
  }

  /// The person's app says that it shows the feedback.
  func look(at time: Date) async throws {
    _ = try await demo.connection.query(
      """
      INSERT INTO user_activity (user_id, app, subject_id, seen_at)
      VALUES (\(person), 'feedbackkit', \(RowEvent.feedback), \(time))
      """)
  }

  func set(_ settings: SQL) async throws {
    _ = try await demo.connection.query(
      """
      INSERT INTO notification_settings (user_id, app) VALUES (\(person), 'feedbackkit')
      ON CONFLICT DO NOTHING
      """)
    _ = try await demo.connection.query(
      "UPDATE notification_settings SET \(settings) WHERE user_id = \(person) AND app = 'feedbackkit'")
  }
}
