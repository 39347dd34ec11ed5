import FoundationEssentials
import FunctionKit
import Notifications
import PushPayload

/// A call of MessageAI's back-end: a message, one of its recipients, and the analysis.
struct Request: Decodable, Sendable {
  let userId: UUID
  let conversationId: String
  let messageId: String
  let shouldNotify: Bool
  private let notificationText: String?
  private let priority: String
  private let senderId: UUID?
  private let senderAvatarUrl: String?

  /// The most bytes in UTF-8; a longer id would leave no room for the text in a push.
  static let longestID = 128
  static let longestURL = 1_024

  func analysis() throws(FunctionError) -> Analysis {
    for (name, id) in [("conversationId", conversationId), ("messageId", messageId)] {
      guard (1...Self.longestID).contains(id.utf8.count) else {
        throw FunctionError(.invalidEvent, "\(name) must have 1 to \(Self.longestID) bytes.")
      }
    }
    guard let priority = MessageAIPush.Priority(rawValue: priority) else {
      throw FunctionError(.invalidEvent, "priority must be high, medium or low.")
    }
    let words = notificationText ?? ""
    guard !shouldNotify || !words.isBlank else {
      throw FunctionError(.invalidEvent, "notificationText is missing.")
    }
    if let senderAvatarUrl, !Self.isWebAddress(senderAvatarUrl) {
      throw FunctionError(.invalidEvent, "senderAvatarUrl must be a web address of at most \(Self.longestURL) bytes.")
    }
    let notice = SmartNotification(
      messageId, in: conversationId, priority, saying: words, image: senderAvatarUrl)
    return Analysis(for: userId, of: notice, from: senderId, deservesNotification: shouldNotify)
  }

  private static func isWebAddress(_ text: String) -> Bool {
    ["https://", "http://"].contains { text.hasPrefix($0) && text.count > $0.count }
      && text.utf8.count <= longestURL
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
  }
}
