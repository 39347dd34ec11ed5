import FoundationEssentials
public import PushPayload

/// A person who acted, or an item, that a notification counts.
public struct Act: Sendable, Hashable {
  /// The key that tells them apart.
  public let actor: String
  /// The name; `nil` where nobody is named.
  public let name: String?

  /// An act from its parts.
  public init(_ actor: String, named name: String?) { (self.actor, self.name) = (actor, name) }
}

/// Several notifications of one family about one subject that are told as one.
public struct Merged: Sendable, Equatable {
  /// The family.
  public let family: Kind.BatchingFamily
  /// How many people acted; of new feedback and messages, how many there are.
  public let count: Int
  /// Who acted, as far as it is known: each name once, the oldest act first.
  public let names: [String]
  /// The words of the newest one.
  public let newest: NotificationText
  /// The name of the subject, or of the project of new feedback; `nil` where it is unknown or may not be said.
  public let subjectName: String?

  /// A merger of one or more acts, the oldest first; those of one actor count once.
  public init(_ acts: [Act], in family: Kind.BatchingFamily, newest: NotificationText, subjectName: String? = nil) {
    var seen: Set<String> = []
    let distinct = acts.filter { seen.insert($0.actor).inserted }
    var names: [String] = []
    for case let name? in distinct.map(\.name) where !names.contains(name) { names.append(name) }
    (self.family, count, self.names) = (family, distinct.count, names)
    (self.newest, self.subjectName) = (newest, subjectName)
  }

  /// The words for all of them; those of the newest where it is the only one, or where only the state counts.
  public var text: NotificationText {
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
    case .conflicts: NotificationText(title: "\(people) have a scheduling conflict", body: newest.body)
    case .statuses: NotificationText(title: newest.title, body: naming("\(count) items updated", "in"))
    case .leads: newest
    }
  }

  /// The app's own keys for all of them, from those of the newest one.
  public func values(_ newest: [String: PushPayload.Value]) -> [String: PushPayload.Value] {
    guard family == .newFeedback || family == .statuses, count > 1, case .string(let project)? = newest["projectId"]
    else { return newest }
    return newest.openingProject(project)
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

extension [String: PushPayload.Value] {
  /// The keys with a link to a project of FeedbackKit.
  public func openingProject(_ id: String) -> Self {
    guard let project = UUID(uuidString: id) else { return self }
    return merging(["actionUrl": .string(DeepLink.project(project).url)]) { _, new in new }
  }
}
