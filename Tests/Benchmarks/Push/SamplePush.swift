import Foundation
import Notifications
import Signing
import TestSupport

/// Pushes, and the settings to send them with.
enum SamplePush {
  private static let topic = "com.example.app"

  /// The configuration of a sender to nginx, with a key that is made in the folder.
  static func environment(_ nginx: PushNginx, _ folder: TemporaryDirectory) throws -> [String: String] {
    [
      "APNS_KEY_ID": "KEY1234567", "APNS_TEAM_ID": "TEAM123456", "APNS_BUNDLE_ID": topic, "APNS_PRODUCTION": "true",
      "APNS_KEY_PATH": try folder.write(try SigningKey.generate().privatePEM(), to: "key.p8"),
      "APNS_URL": nginx.url, "APNS_CA_PATH": nginx.authorityPath,
    ]
  }

  /// The fields of every push, each as `name: value`.
  static var headers: [String] {
    [
      "authorization: bearer \(String(repeating: "x", count: 180))", "apns-topic: \(topic)", "apns-push-type: alert",
      "apns-priority: 10", "apns-id: \(UUID().uuidString.lowercased())", "apns-expiration: 1800000000",
      "apns-collapse-id: \(UUID().uuidString.lowercased())", "content-type: application/json",
    ]
  }

  /// A push unlike all others.
  static func push(_ number: Int) -> QueuedPush {
    let digits = String(number, radix: 16)
    return QueuedPush(
      id: UUID(),
      device: QueuedPush.Device(
        id: UUID(), token: String(repeating: "0", count: 64 - digits.count) + digits, registeredAt: .now),
      payload: """
        {"aps":{"alert":{"title":"New Vote","body":"Dark mode now has \(number) votes"},"sound":"default",\
        "thread-id":"\(UUID().uuidString)","mutable-content":1},"type":"new_vote",\
        "feedbackId":"\(UUID().uuidString)","projectId":"\(UUID().uuidString)","voteCount":\(number)}
        """,
      badge: 3, collapseID: UUID().uuidString.lowercased(), expiresAt: .now + 86_400)
  }
}
