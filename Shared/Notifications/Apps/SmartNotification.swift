public import PushPayload

/// A message that MessageAI's analysis has judged, as it is told to one of its recipients.
public struct SmartNotification: Notice {
  /// The conversation's id.
  public let conversation: String
  /// The message's id.
  public let message: String
  /// How soon the person should know.
  public let priority: MessageAIPush.Priority
  private let words: String
  private let image: String?

  /// A message from its parts.
  /// - Parameters:
  ///   - words: the analysis' own, of any length.
  ///   - image: the URL of the sender's picture.
  public init(
    _ message: String, in conversation: String, _ priority: MessageAIPush.Priority, saying words: String,
    image: String? = nil
  ) {
    (self.message, self.conversation, self.priority) = (message, conversation, priority)
    (self.words, self.image) = (words, image)
  }

  /// The kind, as important as the analysis found the message.
  public var kind: Kind { .smartNotification.weighing(priority.importance) }
  /// The conversation.
  public var subject: Subject { .entity(conversation) }
  /// Messages are counted for each conversation; what only the badge shows is not merged with what is to be read.
  public var part: BatchPart? { isShown ? BatchPart(of: conversation, named: nil, by: message) : nil }
  /// Whether there is a picture to show.
  public var hasImage: Bool { image != nil }
  /// Whether there is anything to see but the badge.
  public var isShown: Bool { priority.isShown }

  /// The app's own keys of the payload.
  public var values: [String: PushPayload.Value] {
    MessageAIPush.smartNotification(
      .init(conversation: conversation, message: message), priority: priority, image: image
    ).values
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText {
    NotificationText(title: "MessageAI", body: words)
  }
}
