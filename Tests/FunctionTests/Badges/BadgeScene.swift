import DeliveryLive
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive
import Testing

@testable import ActionCompleted
@testable import ProposalCreated
@testable import PushDelivery

/// Eva has been asked for a vote on her phone and her tablet; Ada has FeedbackKit on two devices.
struct BadgeScene {
  static let phone = "dd000000-0000-4000-8000-000000000025"
  static let tablet = "dd000000-0000-4000-8000-000000000035"
  static let now = Demo.dayBefore.addingTimeInterval(60)

  let demo: Demo
  let client = ScriptedClient(.accepted, status: 200)

  init() async throws {
    demo = try await Demo()
    try await demo.connection.script(
      """
      INSERT INTO device_tokens (id, user_id, token, platform, app, environment, bundle_id) VALUES
        ('\(Self.tablet)', '\(Person.eva.id)', repeat('d5', 32), 'iPadOS', 'lockitin', 'sandbox', 'com.lockit.app')
      """)
    let event = RowEvent.proposal("INSERT", "asking")
    _ = try await demo.run(ProposalCreated(store: demo.store()), on: event, at: Demo.dayBefore)
  }

  /// Tells the function of an event.
  @discardableResult
  func tell(_ document: String, dryRun: Bool = false, at now: Date = BadgeScene.now) async throws -> ActResult {
    let call = try Self.call(document, dryRun: dryRun, at: now)
    return try await function.handle(call.event, call.context)
  }

  /// Tells the function of events at once.
  func tell(_ documents: [String]) async throws -> [ActResult] {
    let calls = try documents.map { try Self.call($0, at: BadgeScene.now) }
    return try await function.handle(calls).map { try $0.get() }
  }

  private var function: ActionCompleted {
    ActionCompleted(store: CompletedActStore(demo.connection()))
  }

  private static func call(
    _ document: String, dryRun: Bool = false, at now: Date
  ) throws -> (event: Event<RowChange<ActionCompleted.Row>>, context: Context) {
    let envelope = try Envelope(RawJSON(validating: Array(document.utf8)[...]))
    return (
      Event(envelope: envelope, data: try ActionCompleted.payload(envelope.data)),
      Context(function: ActionCompleted.name, dryRun: dryRun, now: now, log: Log { _ in })
    )
  }

  /// Changes a row, and makes the event of it.
  func change(_ table: String, _ row: String, _ assignments: SQL, _ id: String = "e1") async throws -> String {
    let image: SQL = "SELECT to_jsonb(t)::text AS row FROM \(identifier: table) t WHERE id = \(row)::uuid"
    let old: String = try await demo.connection.query(image).only().decode("row")
    _ = try await demo.connection.query("UPDATE \(identifier: table) SET \(assignments) WHERE id = \(row)::uuid")
    let new: String = try await demo.connection.query(image).only().decode("row")
    return RowEvent.event("UPDATE", table, record: new, oldRecord: old, id: id)
  }

  /// Puts unread notifications into Ada's inbox of FeedbackKit, and answers with their ids.
  func fillAdasInbox(_ count: Int) async throws -> [String] {
    try await demo.connection.query(
      """
      INSERT INTO notifications (user_id, app, type, title, origin, function, expires_at)
      SELECT \(Person.ada.id)::uuid, 'feedbackkit', 'new_vote', 'New Vote', 'function', 'vote-cast', '2040-01-01'
      FROM generate_series(1, \(count)::int) RETURNING id::text
      """
    ).decode("id")
  }

  /// Sends what is due; answers with the badges that went out alone, with the first two letters of the device's token.
  @discardableResult
  func send(at now: Date = BadgeScene.now) async throws -> [String] {
    let before = client.pushes.count
    let store = demo.queue()
    let function = PushDelivery(store: store, client: client.client, jitter: { 0 })
    _ = try await function.handle(.wakeUp, .test(now: now))
    return client.pushes.dropFirst(before).filter { $0.payload == #"{"aps":{}}"# }
      .map { "\($0.device.token.prefix(2)) \($0.badge ?? -1)" }.sorted()
  }

  /// The states of deliveries, with their reasons, of badges alone or of all others.
  func states(ofBadges: Bool = false) async throws -> [String] {
    try await demo.connection.query(
      """
      SELECT d.state || coalesce(' ' || d.reason, '') AS state FROM deliveries d
      JOIN notifications n ON n.id = d.notification_id WHERE (n.type = 'badge') = \(ofBadges) ORDER BY 1
      """
    ).decode("state")
  }
}

extension ActResult {
  /// Handled, withdrawn, held, badge pushes.
  var counts: [Int] { [handled, withdrawn, held, badgePushes] }
}
