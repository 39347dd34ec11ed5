public import FoundationEssentials
public import PushPayload

/// What an event tells about one subject: a kind of notification with the facts that fill its text.
public protocol Notice: Sendable {
  /// The kind.
  static var kind: Kind { get }
  /// What it is about.
  var subject: Subject { get }
  /// The text for somebody.
  func text(for recipient: Recipient) -> NotificationText
  /// The app's own keys of the payload, its type and link included.
  var values: [String: PushPayload.Value] { get }
  /// The app's own keys where they depend on whom they are sent to.
  func values(for recipient: Recipient) -> [String: PushPayload.Value]
  /// The actions that the app offers somebody.
  func category(for recipient: Recipient) -> String?
  /// When the notice becomes pointless; `nil` for one that only grows old.
  var deadline: Date? { get }
  /// Tells a person once, however many events say it; `nil` where each event counts.
  var dedupeKey: String? { get }
}

extension Notice {
  /// The same for everybody.
  public func values(for recipient: Recipient) -> [String: PushPayload.Value] { values }
  /// The kind's.
  public func category(for recipient: Recipient) -> String? { Self.kind.category }
  /// The notice only grows old.
  public var deadline: Date? { nil }
  /// Each event counts.
  public var dedupeKey: String? { nil }

  /// How long the way to the device may take: to the deadline, else a day.
  public func pushExpiry(from now: Date) -> Date { deadline ?? now.addingTimeInterval(86_400) }

  /// How long the entry stays in the inbox: to the deadline, else 30 days.
  public func inboxExpiry(from now: Date) -> Date { deadline ?? now.addingTimeInterval(30 * 86_400) }

  /// The push for somebody, without its badge.
  /// - Parameter sound: the sound that the person chose; `nil` for the system's.
  public func payload(for recipient: Recipient, sound: String? = nil) -> PushPayload {
    let text = text(for: recipient)
    var payload = PushPayload(alert: .init(title: text.title, body: text.body), values: values(for: recipient))
    payload.sound = Self.kind.importance.hasSound ? sound ?? "default" : nil
    payload.threadID = subject.id
    payload.category = category(for: recipient)
    payload.interruptionLevel = Self.kind.importance.interruptionLevel
    payload.relevanceScore = Self.kind.importance.relevanceScore
    payload.isMutable = Self.kind.app.hasMutableAlerts
    return payload
  }
}

/// What a notice is about.
public enum Subject: Sendable, Hashable {
  /// A feedback and its project.
  case feedback(UUID, project: UUID)
  /// A proposal.
  case proposal(UUID)
  /// A confirmed event.
  case event(UUID)
  /// A request to become friends.
  case friendRequest(UUID)
  /// A group.
  case group(UUID)
  /// What an app names by an id of its own: an order, a visit, a conversation.
  case entity(String)

  /// The subject's id as text; also what notifications are grouped by on the device.
  public var id: String {
    switch self {
    case .feedback(let id, _), .proposal(let id), .event(let id), .friendRequest(let id), .group(let id): id.lowercased
    case .entity(let id): id
    }
  }
}

/// The words of a notification.
public struct NotificationText: Sendable, Hashable {
  /// The first line.
  public let title: String
  /// The text below it.
  public let body: String

  /// The words as the push says them, of any length.
  public init(title: String, body: String) {
    (self.title, self.body) = (title, body)
  }

  /// The words as the inbox keeps them: the columns take 255 and 500 characters.
  public var inInbox: NotificationText {
    NotificationText(title: title.shortened(toScalars: 255), body: body.shortened(toScalars: 500))
  }
}
