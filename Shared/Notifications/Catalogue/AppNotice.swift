import Formats
package import FoundationEssentials
package import PushPayload

/// The notice of a row that an app inserted itself; the row names its kind.
package struct AppNotice: Notice {
  package let kind: Kind
  /// The subject that the row names; the row itself if it names none.
  package let subject: Subject
  package let values: [String: PushPayload.Value]
  /// When the row leaves the inbox, if that is soon.
  package var deadline: Date?
  /// Whether the push shows more than the badge.
  package let isShown: Bool
  private let words: NotificationText
  private let entry: AppEntry

  /// The notice in a row.
  ///
  /// The row's own words come first, then the kind's words with the row's facts.
  package init(_ kind: Kind, _ entry: AppEntry) throws(UnusableEntry) {
    self.entry = entry
    words = try Self.words(of: kind, entry, in: .english)
    var values = kind.app.profile.values(kind, entry)
    values["type"] = .string(kind.name)
    self.values = values
    // The column `priority` is APNs' priority.
    let said = kind == .smartNotification ? entry.data["priority"]?.text : nil
    let priority = said.flatMap(MessageAIPush.Priority.init)
    self.kind = priority.map { kind.weighing($0.importance) } ?? kind
    isShown = priority?.isShown ?? true
    subject = .entity(kind.app.profile.subjectNames.lazy.compactMap { entry[$0] }.first ?? entry.id.lowercased)
  }

  package func text(for recipient: Recipient) -> NotificationText {
    guard kind.words != nil, recipient.language != .english else { return words }
    return (try? Self.words(of: kind, entry, in: recipient.words)) ?? words
  }

  /// Likes and comments are counted per visit, and people by their names in the app.
  ///
  /// Messages are counted per conversation.
  package var part: BatchPart? {
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

  /// Whether the row has a picture of the person who acted or wrote.
  package var hasImage: Bool { values["actor_avatar_url"] != nil || values["imageUrl"] != nil }

  private static func words(
    of kind: Kind, _ entry: AppEntry, in words: Words
  ) throws(UnusableEntry) -> NotificationText {
    let template = kind.words.flatMap { $0.fits(entry) ? $0 : nil }
    guard let title = entry["title"] == nil ? try template?.text("title", of: kind, entry, in: words) : entry["title"]
    else {
      throw UnusableEntry("record.title is missing.")
    }
    let said = entry["body"] ?? entry["message"]
    guard let body = said == nil ? try template?.text("body", of: kind, entry, in: words) : said else {
      throw UnusableEntry("record.body is missing.")
    }
    return NotificationText(title: Sentence(alone: title), body: Sentence(alone: body))
  }
}
