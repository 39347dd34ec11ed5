public import FoundationEssentials
public import PushPayload

/// What an event tells about one subject: a kind of notification with the facts that fill its text.
public protocol Notice: Sendable {
  /// The kind.
  var kind: Kind { get }
  /// What it is about.
  var subject: Subject { get }
  /// The text for somebody.
  func text(for recipient: Recipient) -> NotificationText
  /// The names of the texts that an experiment may try out, one for each share of people; empty for a single text.
  var variants: [String] { get }
  /// The app's own keys of the payload, its type and link included.
  var values: [String: PushPayload.Value] { get }
  /// The app's own keys where they depend on the recipient.
  func values(for recipient: Recipient) -> [String: PushPayload.Value]
  /// The actions that the app offers somebody.
  func category(for recipient: Recipient) -> String?
  /// When the notice becomes pointless; `nil` for one that only grows old.
  var deadline: Date? { get }
  /// Itself as a part of several that are merged; `nil` where it never merges.
  var part: BatchPart? { get }
  /// The key under which a person is told once, no matter how many events say it; `nil` where each event counts.
  var dedupeKey: String? { get }
  /// The name of the value that says how something stands now; `nil` for what happened.
  ///
  /// A person is not told again where the last such notice about the subject told them the same value.
  var stateKey: String? { get }
  /// Whether its values name an image that the app's service extension can show.
  var hasImage: Bool { get }
  /// Whether the push shows its text; otherwise only the badge tells of it.
  var isShown: Bool { get }
}

/// A type whose notices are all of one kind.
public protocol NoticeOfOneKind: Notice {
  /// The kind.
  static var kind: Kind { get }
}

extension NoticeOfOneKind {
  /// The kind of all notices of the type.
  public var kind: Kind { Self.kind }
}

extension Notice {
  /// The same for everybody.
  public func values(for recipient: Recipient) -> [String: PushPayload.Value] { values }
  /// The kind's.
  public func category(for recipient: Recipient) -> String? { kind.category }
  /// The notice only grows old.
  public var deadline: Date? { nil }
  /// There is a single text.
  public var variants: [String] { [] }
  /// Each event counts.
  public var dedupeKey: String? { nil }
  /// Something happened.
  public var stateKey: String? { nil }
  /// It never merges.
  public var part: BatchPart? { nil }
  /// There is none.
  public var hasImage: Bool { false }
  /// The text is shown.
  public var isShown: Bool { true }

  /// The variant that a person reads while variants are tried out, always the same; `nil` where there are none.
  public func variant(for user: UUID) -> String? {
    guard !variants.isEmpty else { return nil }
    let experiment = "\(kind.app.rawValue)/\(kind.name)"
    return variants[VariantAssignment.variant(of: variants.count, experiment: experiment, user: user)]
  }

  /// How long the way to the device may take: to the deadline, else a day.
  public func pushExpiry(from now: Date) -> Date { deadline ?? now.addingTimeInterval(86_400) }

  /// How long the entry stays in the inbox: to the deadline, else 30 days.
  public func inboxExpiry(from now: Date) -> Date { deadline ?? now.addingTimeInterval(30 * 86_400) }

  /// The push for somebody, without its badge.
  /// - Parameters:
  ///   - sound: the sound that the person chose; `nil` for the system's.
  ///   - allowsCritical: whether alerts to the person may be critical, which needs an entitlement from Apple.
  public func payload(for recipient: Recipient, sound: String? = nil, allowsCritical: Bool = false) -> PushPayload {
    guard isShown else {
      var payload = PushPayload(values: values(for: recipient))
      payload.threadID = subject.id
      return payload
    }
    var payload = kind.payload(
      saying: text(for: recipient), values(for: recipient), thread: subject.id, sound: sound,
      allowsCritical: allowsCritical)
    payload.category = category(for: recipient)
    if hasImage { payload.isMutable = true }
    return payload
  }
}

extension Kind {
  /// The push for a text of this kind, without its badge.
  /// - Parameters:
  ///   - values: the app's own keys.
  ///   - thread: what it is grouped by on the device.
  ///   - sound: the sound that the person chose; `nil` for the system's.
  ///   - allowsCritical: whether alerts to the person may be critical.
  public func payload(
    saying text: NotificationText, _ values: [String: PushPayload.Value], thread: String, sound: String? = nil,
    allowsCritical: Bool = false
  ) -> PushPayload {
    var payload = PushPayload(alert: .init(title: text.title, body: text.body), values: values)
    payload.sound = importance.hasSound ? self.sound(unless: sound) : nil
    payload.threadID = thread
    payload.category = category
    payload.interruptionLevel = isCritical && allowsCritical ? .critical : importance.interruptionLevel
    payload.relevanceScore = importance.relevanceScore
    payload.isMutable = app.hasMutableAlerts
    payload.isContentAvailable = app.isWokenByAlerts
    return payload
  }
}

/// A notice as a part of several of its family that are merged.
public struct BatchPart: Sendable, Equatable {
  /// What all of them are about, by its id.
  public let subjectID: String
  /// Its name in the merged text; `nil` where it has none.
  public let subjectName: String?
  /// The person or thing that the notice counts for: parts with the same one count once.
  public let actor: String
  /// The name of the person who acted; `nil` where nobody is named.
  public let actorName: String?

  /// A part from its parts.
  public init(of subjectID: String, named subjectName: String?, by actor: String, called actorName: String? = nil) {
    (self.subjectID, self.subjectName) = (subjectID, subjectName)
    (self.actor, self.actorName) = (actor, actorName)
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
