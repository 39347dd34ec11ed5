/// What MessageAI's pushes are about.
public enum MessageAIPush: PushContent {
  /// `smart_notification`: a message that the person should see; a tap opens the conversation at the message.
  ///
  /// The image is the URL of the sender's picture.
  case smartNotification(Target, priority: Priority?, image: String? = nil)
  /// A type that this version does not know, one without a conversation, or no type at all.
  case other(type: String?)

  /// Reads the app's own keys.
  public init(type: String?, values: [String: PushPayload.Value]) {
    if type == Self.smartNotification, let conversation = values.text("conversationId") {
      self = .smartNotification(
        Target(conversation: conversation, message: values.text("messageId")),
        priority: values.text("priority").flatMap(Priority.init), image: values.text("imageUrl"))
    } else {
      self = .other(type: type)
    }
  }

  /// The app's own keys.
  public var values: [String: PushPayload.Value] {
    var values: [String: PushPayload.Value] = [:]
    switch self {
    case .smartNotification(let target, let priority, let image):
      values.set("type", Self.smartNotification)
      values.set("conversationId", target.conversation)
      values.set("messageId", target.message)
      values.set("priority", priority?.rawValue)
      values.set("imageUrl", image)
    case .other(let type): values.set("type", type)
    }
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

  private static let smartNotification = "smart_notification"
}
