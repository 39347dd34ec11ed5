public import FoundationEssentials
public import PushPayload

/// A notice that an app gives by inserting a row itself; the row names its kind.
public struct AppNotice: Notice {
  /// The kind.
  public let kind: Kind
  /// What the row is about; itself, where it does not say.
  public let subject: Subject
  /// The app's own keys of the payload.
  public let values: [String: PushPayload.Value]
  /// When the row leaves the inbox, where that is soon.
  public var deadline: Date?
  /// Whether there is anything to see but the badge.
  public let isShown: Bool
  private let words: NotificationText

  /// The notice in a row.
  ///
  /// The row's own words count, else those of the kind, which are filled with the row's facts.
  public init(_ kind: Kind, _ entry: AppEntry) throws(UnusableEntry) {
    words = try Self.words(of: kind, entry)
    values = try Self.values(of: kind, entry)
    // The column of that name is APNs' priority.
    let said = kind == .smartNotification ? entry.data["priority"]?.text : nil
    let priority = said.flatMap(MessageAIPush.Priority.init)
    self.kind = priority.map { kind.weighing($0.importance) } ?? kind
    isShown = priority?.isShown ?? true
    subject = .entity(kind.app.subjectFacts.lazy.compactMap { entry[$0] }.first ?? entry.id.lowercased)
  }

  /// The words.
  public func text(for recipient: Recipient) -> NotificationText { words }

  /// Likes and comments are counted for each visit, and people by their names in the app.
  ///
  /// Messages are counted for each conversation.
  public var part: BatchPart? {
    switch (kind.family, values["actor_username"], values["messageId"]) {
    case (.likes?, .string(let name)?, _), (.visitComments?, .string(let name)?, _):
      if case .string(let visit)? = values["visit_id"] {
        let cafe: String? = if case .string(let name)? = values["cafe_name"] { name } else { nil }
        return BatchPart(of: visit, named: cafe, by: name, called: name)
      }
      return nil
    case (.messages?, _, .string(let message)?) where isShown:
      return BatchPart(of: subject.id, named: nil, by: message)
    default: return nil
    }
  }

  /// Whether there is a picture of the person who acted or wrote.
  public var hasImage: Bool { values["actor_avatar_url"] != nil || values["imageUrl"] != nil }

  private static func words(of kind: Kind, _ entry: AppEntry) throws(UnusableEntry) -> NotificationText {
    let template = NoticeTemplate.forKind(kind, of: entry)
    guard let title = entry["title"] == nil ? try template?.text(\.title, entry) : entry["title"] else {
      throw UnusableEntry("record.title is missing.")
    }
    let said = entry["body"] ?? entry["message"]
    guard let body = said == nil ? try template?.text(\.body, entry) : said else {
      throw UnusableEntry("record.body is missing.")
    }
    return NotificationText(title: title, body: body)
  }

  private static func values(of kind: Kind, _ entry: AppEntry) throws(UnusableEntry) -> [String: PushPayload.Value] {
    var values: [String: PushPayload.Value]
    switch kind.app {
    case .repairMinder: values = ["entity_id": .string(try entry.require("entity_id"))]
    case .mugshot: values = try mugshotValues(of: kind, entry)
    case .feedbackKit, .lockItIn, .messageAI: values = entry.data.filter { !ownNames.contains($0.key) }
    }
    values["type"] = .string(kind.name)
    return values
  }

  private static func mugshotValues(
    of kind: Kind, _ entry: AppEntry
  ) throws(UnusableEntry) -> [String: PushPayload.Value] {
    var values: [String: PushPayload.Value] = ["actor_username": .string(try entry.require("actor_username"))]
    for name in ["actor_avatar_url", "visit_id", "friend_user_id", "cafe_name"] {
      values[name] = entry[name].map(PushPayload.Value.string)
    }
    let said = entry["tap_action"]
    guard let action = said.map(MugshotTapAction.init) ?? .usual(for: kind) else {
      throw UnusableEntry("record.tap_action has an unusable value.")
    }
    let leadsSomewhere = action.requiredFact.map { values[$0] != nil } ?? true
    values["tap_action"] = .string((leadsSomewhere ? action : .notifications).rawValue)
    return values
  }

  /// What `data` may say of the entry itself.
  private static let ownNames: Set = ["aps", "title", "body", "message"]
}

extension App {
  /// Where its rows say what they are about; the first that a row has counts.
  fileprivate var subjectFacts: [String] {
    switch self {
    case .feedbackKit: ["feedback_id", "feedbackId", "subject_id"]
    case .lockItIn: ["proposal_id", "event_id", "friend_request_id", "subject_id"]
    case .repairMinder: ["entity_id"]
    case .mugshot: ["visit_id", "friend_user_id"]
    case .messageAI: ["conversationId", "conversation_id", "subject_id"]
    }
  }
}
