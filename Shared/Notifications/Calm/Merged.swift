import PushPayload

/// Several notifications of one family about one subject that are told as one.
public struct Merged: Sendable, Equatable {
  /// How many people acted; of new feedback and messages, how many there are.
  public let count: Int
  /// Who acted, as far as it is known: each name once, the oldest act first.
  public let names: [String]
  /// The words of the newest one.
  public let newest: NotificationText
  /// What the subject, or the project of new feedback, is called; `nil` where nobody knows or nobody may say.
  public let subjectName: String?

  /// A merger of one or more notifications.
  public init(count: Int, names: [String] = [], newest: NotificationText, subjectName: String? = nil) {
    (self.count, self.names, self.newest, self.subjectName) = (count, names, newest, subjectName)
  }

  /// The words for all of them; the newest one's where it is the only one.
  public func text(for family: Kind.BatchingFamily) -> NotificationText {
    guard count > 1 else { return newest }
    return switch family {
    case .newFeedback: NotificationText(title: "New Feedback", body: naming("\(count) new items", "in"))
    case .votes: NotificationText(title: "New Votes", body: naming("\(people) voted", "for"))
    case .comments: NotificationText(title: "New Comments", body: naming("\(people) commented", "on"))
    case .proposalVotes:
      NotificationText(title: naming("\(people) voted", "on"), body: list ?? newest.body)
    case .likes: NotificationText(title: "\(people) liked your visit", body: listAndSubject)
    case .visitComments: NotificationText(title: "\(people) commented on your visit", body: listAndSubject)
    case .messages: NotificationText(title: newest.title, body: countedBody)
    }
  }

  private var people: String { "\(count) people" }

  private var list: String? { NameList(names, of: count).text }

  private func naming(_ words: String, _ preposition: String) -> String {
    subjectName.map { "\(words) \(preposition) \($0)" } ?? words
  }

  private var listAndSubject: String {
    let parts = [list, subjectName].compactMap { $0 }
    return parts.isEmpty ? newest.body : parts.joined(separator: " • ")
  }

  /// Shortened so that neither the inbox nor the push cuts off the number.
  private var countedBody: String { "\(newest.body.shortened(toScalars: 400)) (\(count) new messages)" }
}
