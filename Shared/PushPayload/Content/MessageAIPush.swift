/// The content of MessageAI's pushes.
public enum MessageAIPush: PushContent {
  /// `smart_notification`: a message that the person should see; a tap opens the conversation at the message.
  ///
  /// The image is the URL of the sender's picture.
  case smartNotification(Target, priority: Priority?, image: String? = nil)
  /// A type that this version does not know, one without a conversation, or no type at all.
  case other(type: String?)

  /// Reads the app's own keys.
  public init(type: String?, values: [String: PushPayload.Value]) {
    self = Self.forms.content(type, values) ?? .other(type: type)
  }

  /// The app's own keys.
  public var values: [String: PushPayload.Value] {
    var values = Self.forms.written(self)?.values ?? [:]
    if case .other(let type) = self { values.set("type", type) }
    return values
  }

  /// MessageAI has no URLs; see ``target``.
  public var link: DeepLink? { nil }

  /// The place that a tap opens.
  public var target: Target? { if case .smartNotification(let target, _, _) = self { target } else { nil } }

  /// A message in a conversation.
  public struct Target: Sendable, Hashable {
    /// The conversation's id.
    public let conversation: String
    /// The id of the message to scroll to; `nil` for the newest.
    public let message: String?

    /// A message in a conversation.
    public init(conversation: String, message: String?) { (self.conversation, self.message) = (conversation, message) }
  }

  /// How soon the person should know, as the analysis judged.
  public enum Priority: String, Sendable, CaseIterable {
    /// Shown at once, with a sound.
    case high
    /// Listed silently.
    case medium
    /// Counted by the badge only.
    case low
  }

  private static let forms: [PushForm<MessageAIPush>] = [
    PushForm(
      "smart_notification", .none, "conversationId", "messageId", "priority", "imageUrl",
      make: { conversation, message, priority, image in
        .smartNotification(
          Target(conversation: conversation, message: message),
          priority: (priority as String?).flatMap(Priority.init), image: image)
      }
    ) {
      guard case .smartNotification(let target, let priority, let image) = $0 else { return nil }
      return (target.conversation, target.message, priority?.rawValue, image)
    }
  ]
}
