import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres

@testable import AnalyzeForNotification

/// Ada with her phone, for whom MessageAI analyses messages.
struct AnalysisScene {
  let demo: Demo
  /// The members of a call's body that a test does not set.
  private static let usual = [
    "userId": "\"\(Person.ada.id)\"", "conversationId": "\"c-17\"", "messageId": "\"m-4\"", "shouldNotify": "true",
    "notificationText": "\"Anna needs an answer by noon\"", "priority": "\"medium\"",
  ]

  init() async throws { demo = try await Demo() }

  /// The body of a call.
  /// - Parameter members: JSON values by name; `nil` removes a usual one.
  static func body(_ members: [String: String?] = [:]) -> String {
    let all = usual.mapValues(Optional.some).merging(members) { $1 }.compactMapValues(\.self)
    return "{\(all.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
  }

  /// An analysis of a message; each call is an event of its own where none is named.
  func analyze(
    _ message: String = "m-4", _ members: [String: String?] = [:], event: String? = nil, at now: Date = Demo.now,
    dryRun: Bool = false
  ) async throws -> RawJSON {
    let body = Self.body(["messageId": "\"\(message)\""].merging(members) { $1 })
    let envelope = try Envelope(RawJSON(validating: Array(body.utf8)[...]), eventID: event)
    let call = Event(envelope: envelope, data: try AnalyzeForNotification.payload(envelope.data))
    let context = Context(function: AnalyzeForNotification.name, dryRun: dryRun, now: now, log: Log { _ in })
    return try await AnalyzeForNotification(store: demo.store()).handle(call, context)
  }

  /// Sets columns of Ada's preferences for MessageAI.
  func set(_ columns: SQL) async throws {
    _ = try await demo.connection.query(
      """
      INSERT INTO notification_settings (user_id, app) VALUES (\(Person.ada.id)::uuid, 'messageai') ON CONFLICT DO NOTHING
      """)
    _ = try await demo.connection.query(
      "UPDATE notification_settings SET \(columns) WHERE user_id = \(Person.ada.id)::uuid AND app = 'messageai'")
  }

  /// Ada's only notification.
  func notification() async throws -> Row {
    try await demo.connection.query(
      """
      SELECT n.*, (SELECT count(*) FROM deliveries d WHERE d.notification_id = n.id) AS deliveries FROM notifications n
      """
    ).only()
  }
}

extension RawJSON {
  /// `wasDelivered` and `suppressReason` of an answer in a few words: `delivered`, or the reason.
  var outcome: String? {
    switch (self["wasDelivered"], self["suppressReason"]) {
    case (RawJSON(true)?, RawJSON.null?): "delivered"
    case (RawJSON(false)?, let reason?): reason.stringValue
    default: nil
    }
  }
}
