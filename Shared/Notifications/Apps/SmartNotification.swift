package import PushPayload

/// A message that MessageAI's analysis has judged, for one of its recipients.
package struct SmartNotification: Notice {
  /// The conversation's id.
  package let conversation: String
  /// The message's id.
  package let message: String
  /// How soon the person should know.
  package let priority: MessageAIPush.Priority
  private let words: String
  private let image: String?

  /// - Parameters:
  ///   - words: the text of the analysis, of any length.
  ///   - image: the URL of the sender's picture.
  package init(
    _ message: String, in conversation: String, _ priority: MessageAIPush.Priority, saying words: String,
    image: String? = nil
  ) {
    (self.message, self.conversation, self.priority) = (message, conversation, priority)
    (self.words, self.image) = (words, image)
  }

  /// The kind with the importance that the analysis gave the message.
  package var kind: Kind { .smartNotification.weighing(priority.importance) }
  package var subject: Subject { .entity(conversation) }
  /// Messages are counted per conversation; a message that only the badge shows is not merged.
  package var part: BatchPart? { isShown ? BatchPart(of: conversation, named: nil, by: message) : nil }
  /// Whether the message has a picture.
  package var hasImage: Bool { image != nil }
  package var isShown: Bool { priority.isShown }

  package var values: [String: PushPayload.Value] {
    MessageAIPush.smartNotification(
      .init(conversation: conversation, message: message), priority: priority, image: image
    ).values
  }

  package func text(for recipient: Recipient) -> NotificationText {
    NotificationText(title: recipient.words("messageai.smart_notification.title"), body: Sentence(alone: words))
  }
}
