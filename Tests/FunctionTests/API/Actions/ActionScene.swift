import API
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres

@testable import Actions
@testable import EventReminder
@testable import FriendRequested
@testable import GroupInvited
@testable import ProposalCreated

/// People who were told something that they can act on.
struct ActionScene {
  static let now = Demo.dayBefore.addingTimeInterval(60)
  static let evasPhone = "dd000000-0000-4000-8000-000000000025"
  /// When the picnic begins, and when Ada, who needs 25 minutes, has to leave for it.
  static let picnic = Date(timeIntervalSince1970: 1_894_474_800)
  static let leaving = picnic.addingTimeInterval(-40 * 60)

  let api: APIScene
  var demo: Demo { api.demo }

  init() async throws { api = try await APIScene() }

  func function() -> Actions {
    let connection = demo.connection()
    return Actions(tokens: TokenStore(connection), store: ActionStore(connection))
  }

  /// Acts on a notification.
  func act(
    _ notification: String, _ action: String, as person: Person, _ more: String = "", at now: Date = now,
    dryRun: Bool = false
  ) async throws -> APIAnswer {
    try await send(
      notification, "actions", as: person, #"{"action":"\#(action)"\#(more.isEmpty ? "" : ",")\#(more)}"#, at: now,
      dryRun: dryRun)
  }

  func send(
    _ notification: String, _ what: String, as person: Person, _ body: String?, at now: Date = now, dryRun: Bool = false
  ) async throws -> APIAnswer {
    try await api.call(
      function(), .post, "/api/v1/notifications/\(notification)/\(what)", as: person, body, at: now, dryRun: dryRun)
  }

  /// Asks the group for votes; answers with Eva's notification.
  func askForVotes() async throws -> String {
    _ = try await demo.run(
      ProposalCreated(store: demo.store()), on: RowEvent.proposal("INSERT", "asking"), at: Demo.dayBefore)
    return try await notification("proposal_created", of: .eva)
  }

  /// Asks Ben to be Hugo's friend.
  func askForFriendship() async throws -> String {
    let event = RowEvent.event(
      "INSERT", "friend_requests", record: #"{"id":"f7000000-0000-4000-8000-000000000001"}"#)
    _ = try await demo.run(FriendRequested(store: demo.store()), on: event, at: Demo.dayBefore)
    return try await notification("friend_request", of: .ben)
  }

  /// Invites Ben into Hugo's book club.
  func invite() async throws -> String {
    let event = RowEvent.event("INSERT", "group_invites", record: #"{"id":"f8000000-0000-4000-8000-000000000001"}"#)
    _ = try await demo.run(GroupInvited(store: demo.store()), on: event, at: Demo.dayBefore)
    return try await notification("group_invite", of: .ben)
  }

  /// Tells Ada to leave for the picnic.
  func remind(at now: Date = leaving, _ id: String = "t1") async throws {
    let event = #"{"specversion":"1.0","id":"\#(id)","source":"/schedules","type":"tick","data":{}}"#
    _ = try await demo.run(EventReminder(store: demo.store()), on: event, at: now)
  }

  /// Puts a notification of a kind into somebody's inbox.
  func insert(_ kind: String, of app: App, to person: Person, payload: String? = nil) async throws -> String {
    try await demo.connection.query(
      """
      INSERT INTO notifications (user_id, app, type, title, data, payload, origin, function, created_at)
      VALUES (\(person.id)::uuid, \(app.rawValue), \(kind), 'x', '{"conversationId":"conv-42","messageId":"msg-7"}',
        \(payload as String?), 'function', 'test', \(Demo.dayBefore))
      RETURNING id::text
      """
    ).only().decode("id")
  }

  func notification(_ kind: String, of person: Person) async throws -> String {
    try await demo.connection.query(
      "SELECT id::text FROM notifications WHERE type = \(kind) AND user_id = \(person.id)::uuid"
    ).only().decode("id")
  }

  /// Eva's votes on the options.
  func votes() async throws -> [String] {
    try await texts("SELECT vote AS text FROM proposal_votes WHERE user_id = \(Person.eva.id)::uuid ORDER BY option_id")
  }

  func texts(_ query: SQL) async throws -> [String] { try await demo.connection.query(query).decode("text") }

  /// The acts that are written down, as `action text`.
  func acts() async throws -> [String] {
    try await texts("SELECT action || coalesce(' ' || text, '') AS text FROM notification_actions ORDER BY id")
  }

  /// Everything that an act may change.
  func state() async throws -> [String] {
    var state: [String] = []
    for table in [
      "notifications", "proposal_votes", "friend_requests", "group_invites", "group_members", "notification_actions",
      "notification_interactions", "notification_state", "held_notifications", "notification_rechecks", "deliveries",
      "event_attendees",
    ] {
      state += try await texts("SELECT to_jsonb(t)::text AS text FROM \(identifier: table) t ORDER BY 1")
    }
    return state
  }
}
