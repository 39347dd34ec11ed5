import FoundationEssentials
import HTTP2
import Notifications
import PushLive
import TestSupport
import Testing

@testable import PushDelivery

/// Every answer of APNs over the wire, and its consequences in the database.
///
/// Source: [Handling notification responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
@Suite(.heavy)
struct AnswerTableTests {
  /// The state after one invocation.
  struct Row: Sendable, CustomStringConvertible {
    let status: Int
    let reason: String?
    let state: String
    let log: [String]
    var isActive = true
    var attempts = 1
    /// Seconds until the next attempt.
    var pause: Double = 0
    var pushes = 1
    var connections = 1

    var description: String { "\(status) \(reason ?? "")" }
  }

  static let rows: [Row] =
    [
      Row(status: 200, reason: nil, state: "accepted", log: ["sent"]),
      Row(
        status: 400, reason: "BadDeviceToken", state: "rejected", log: ["deferred", "token_expired"], isActive: false,
        attempts: 2, pushes: 2, connections: 2),
      Row(status: 410, reason: "Unregistered", state: "rejected", log: ["token_expired"], isActive: false),
      Row(status: 410, reason: "ExpiredToken", state: "rejected", log: ["token_expired"], isActive: false),
      Row(status: 413, reason: "PayloadTooLarge", state: "rejected", log: ["failed"]),
      Row(status: 429, reason: "TooManyRequests", state: "queued", log: ["deferred"], pause: 60),
      Row(
        status: 429, reason: "TooManyProviderTokenUpdates", state: "queued", log: ["deferred"], attempts: 0,
        pause: 1_200),
      Row(status: 500, reason: "InternalServerError", state: "queued", log: ["deferred"], pause: 900),
      Row(status: 503, reason: "ServiceUnavailable", state: "queued", log: ["deferred"], pause: 900),
      Row(
        status: 503, reason: "Shutdown", state: "queued", log: ["deferred", "deferred"], pause: 900, pushes: 2,
        connections: 2),
      Row(
        status: 400, reason: "IdleTimeout", state: "queued", log: ["deferred", "deferred"], pause: 900, pushes: 2,
        connections: 2),
      Row(status: 403, reason: "ExpiredProviderToken", state: "queued", log: ["deferred"], attempts: 0, pause: 1_200),
      Row(
        status: 403, reason: "UnrelatedKeyIdInToken", state: "queued", log: ["deferred", "failed"], attempts: 0,
        pause: 300, pushes: 2, connections: 2),
      Row(status: 418, reason: "BrandNewReason", state: "rejected", log: ["failed"]),
      Row(status: 403, reason: "BrandNewReason", state: "queued", log: ["failed"], attempts: 0, pause: 300),
      Row(status: 599, reason: nil, state: "queued", log: ["deferred"], pause: 900),
    ] + defects + configuration

  /// Mistakes in how the push was made.
  static let defects = [
    (400, "BadCollapseId"), (400, "BadExpirationDate"), (400, "BadMessageId"), (400, "BadPriority"),
    (400, "InvalidPushType"), (400, "PayloadEmpty"), (400, "DuplicateHeaders"), (400, "MissingDeviceToken"),
    (400, "MissingPushType"), (404, "BadPath"), (405, "MethodNotAllowed"),
  ].map { Row(status: $0.0, reason: $0.1, state: "rejected", log: ["failed"]) }

  /// Mistakes in the configuration of an app or a key; the device has named no topic.
  static let configuration = [
    (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"), (400, "DeviceTokenNotForTopic"),
    (403, "InvalidProviderToken"), (403, "MissingProviderToken"), (403, "Forbidden"), (403, "BadCertificate"),
    (403, "BadCertificateEnvironment"), (403, "BadEnvironmentKeyIdInToken"), (403, "BadEnvironmentKeyInToken"),
  ].map { Row(status: $0.0, reason: $0.1, state: "queued", log: ["failed"], attempts: 0, pause: 300) }

  @Test func theTableHasEveryReason() {
    #expect(Set(Self.rows.compactMap(\.reason)) == Set(APNsReason.allCases.map(\.rawValue) + ["BrandNewReason"]))
  }

  @Test(arguments: rows) func everyAnswerHasItsConsequence(_ row: Row) async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake(row.status, row.reason, timestamp: row.status == 410 ? fixture.now : nil)
    try await fixture.enqueue(["abcd"])

    let summary = try await fixture.deliver(try apns.client(time: SenderTime(ManualClock())))

    let delivery = try await fixture.delivery("abcd")
    #expect(delivery.state == row.state && delivery.attempts == row.attempts && !delivery.isLeased)
    #expect(delivery.reason == (row.status == 200 ? nil : row.reason))
    #expect(try await fixture.log("abcd") == row.log)
    #expect(try await fixture.device("abcd", "is_active") == "\(row.isActive)")
    #expect(apns.pushes.count == row.pushes && apns.connections == row.connections)
    if row.state == "queued" {
      #expect(delivery.notBefore == fixture.now + row.pause)
      #expect(summary.wakeAt == delivery.notBefore)
    }
    #expect(Set(apns.pushes.map(\.collapseID)) == ["abcd"])
    #expect(Set(apns.pushes.map { $0.headers["apns-id"] }).count == row.pushes)
  }

  @Test func aConnectionToldToGoAwayForAReasonIsLeftAndThePushGoesByTheNext() async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake { push, responder in
      guard push.number == 0 else { return responder.answer(200) }
      responder.goAway(lastStreamID: 0, debugData: Array(#"{"reason":"IdleTimeout"}"#.utf8))
    }
    try await fixture.enqueue(["aa"])

    let summary = try await fixture.deliver(try apns.client())

    #expect(summary == DeliverySummary(claimed: 1, accepted: 1))
    #expect(apns.connections == 2)
    #expect(try await fixture.delivery("aa").attempts == 1)
  }
}
