import Formats
package import FoundationEssentials
package import PushPayload

/// The content of a notification about one subject: a kind with the facts that fill its text.
package protocol Notice: Sendable {
  var kind: Kind { get }
  var subject: Subject { get }
  func text(for recipient: Recipient) -> NotificationText
  /// The names of the texts for an experiment, one for each share of people; empty for a single text.
  var variants: [String] { get }
  /// The app's own keys of the payload, its type and link included.
  var values: [String: PushPayload.Value] { get }
  /// The app's own keys for a recipient.
  func values(for recipient: Recipient) -> [String: PushPayload.Value]
  /// The actions that the app offers a recipient.
  func category(for recipient: Recipient) -> String?
  /// When the notice becomes pointless; `nil` for the kind's usual lifetime.
  var deadline: Date? { get }
  /// The notice as a part of a batch; `nil` if it is never merged.
  var part: BatchPart? { get }
  /// A person gets one notification per key, however many events there are; `nil` if each event counts.
  var dedupeKey: String? { get }
  /// The names of the keys with the current state; none for an event.
  ///
  /// A person whose last such notice about the subject had the same values gets no other.
  var stateKeys: [String] { get }
  /// Whether its values name an image that the app's service extension can show.
  var hasImage: Bool { get }
  /// Whether the push shows its text; otherwise it only changes the badge.
  var isShown: Bool { get }
}

/// A type whose notices are all of one kind.
package protocol NoticeOfOneKind: Notice {
  static var kind: Kind { get }
}

extension NoticeOfOneKind {
  package var kind: Kind { Self.kind }
}

extension Notice {
  /// By default, the same keys for every recipient.
  package func values(for recipient: Recipient) -> [String: PushPayload.Value] { values }
  /// By default, the kind's category.
  package func category(for recipient: Recipient) -> String? { kind.category }
  package var deadline: Date? { nil }
  package var variants: [String] { [] }
  package var dedupeKey: String? { nil }
  package var stateKeys: [String] { [] }

  /// The state that it reports to a recipient; `nil` for an event.
  package func state(for recipient: Recipient) -> String? {
    values(for: recipient).state(under: stateKeys)
  }

  package var part: BatchPart? { nil }
  package var hasImage: Bool { false }
  package var isShown: Bool { true }

  /// The variant that a person gets in an experiment, always the same one; `nil` without variants.
  package func variant(for user: UUID) -> String? {
    guard !variants.isEmpty else { return nil }
    let experiment = "\(kind.app.rawValue)/\(kind.name)"
    return variants[VariantAssignment.variant(of: variants.count, experiment: experiment, user: user)]
  }

  /// Until when the push may be delivered: the deadline, else a day from now.
  package func pushExpiry(from now: Date) -> Date { deadline ?? now.addingTimeInterval(PushLifetime.standard) }

  /// Until when the entry stays in the inbox: the deadline, else 30 days from now.
  package func inboxExpiry(from now: Date) -> Date { deadline ?? now.addingTimeInterval(30 * 86_400) }
}

/// How long a push may be delivered after it went out.
package enum PushLifetime {
  /// A day, in seconds: for what has no deadline.
  package static let standard: TimeInterval = 86_400
}

/// A notice as a part of a batch of its family.
package struct BatchPart: Sendable, Equatable {
  /// The id of the common subject.
  package let subjectID: String
  /// Its name in the merged text; `nil` without one.
  package let subjectName: String?
  /// The person or thing that the notice counts: parts with the same one count once.
  package let actor: String
  /// The name of the person who acted; `nil` without one.
  package let actorName: String?

  package init(of subjectID: String, named subjectName: String?, by actor: String, called actorName: String? = nil) {
    (self.subjectID, self.subjectName) = (subjectID, subjectName)
    (self.actor, self.actorName) = (actor, actorName)
  }
}

/// The object of a notice.
package enum Subject: Sendable, Hashable {
  case feedback(UUID, project: UUID)
  case proposal(UUID)
  case event(UUID)
  case friendRequest(UUID)
  case group(UUID)
  /// An object with an id of the app's own: an order, a visit, a conversation.
  case entity(String)

  /// The id as text; devices group notifications by it.
  package var id: String {
    switch self {
    case .feedback(let id, _), .proposal(let id), .event(let id), .friendRequest(let id), .group(let id): id.lowercased
    case .entity(let id): id
    }
  }
}

/// The words of a notification.
package struct NotificationText: Sendable, Hashable {
  /// The first line.
  package let title: String
  /// The text below it.
  package let body: String

  /// The words of the push, of any length.
  package init(title: Sentence, body: Sentence) {
    (self.title, self.body) = (title.text, body.text)
  }

  /// Words that are complete already, such as an inbox entry's.
  package init(said title: String, _ body: String) {
    (self.title, self.body) = (title, body)
  }

  /// The words for the inbox: the columns hold 255 and 500 characters.
  package var inInbox: NotificationText {
    NotificationText(said: title.shortened(toScalars: 255), body.shortened(toScalars: 500))
  }
}

extension [String: PushPayload.Value] {
  /// The state under some keys, in one text; `nil` if there is none.
  package func state(under keys: [String]) -> String? {
    let values = keys.compactMap { key in if case .string(let text)? = self[key] { text } else { nil } }
    return values.isEmpty ? nil : values.joined(separator: " ")
  }
}
