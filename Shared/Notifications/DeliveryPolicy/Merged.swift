import FoundationEssentials
package import PushPayload

/// A person who acted, or an item, that a notification counts.
package struct Act: Sendable, Hashable {
  /// The key that tells the actor from others.
  package let actor: String
  /// `nil` if there is no name.
  package let name: String?

  package init(_ actor: String, named name: String?) { (self.actor, self.name) = (actor, name) }
}

/// Several notifications of one family about one subject, merged into one.
package struct Merged: Sendable, Equatable {
  package let family: Kind.BatchingFamily
  /// How many people acted; for feedback and messages, how many there are.
  package let count: Int
  /// The known names of the people who acted: each name once, the oldest act first.
  package let names: [String]
  /// The words of the newest one.
  package let newest: NotificationText
  /// The name of the subject, or the project of new feedback; `nil` if it is unknown or private.
  package let subjectName: String?

  /// Merges one or more acts, the oldest first; the acts of one actor count once.
  package init(
    _ acts: some Sequence<Act>, in family: Kind.BatchingFamily, newest: NotificationText, subjectName: String? = nil
  ) {
    var (actors, known, names): (Set<String>, Set<String>, [String]) = ([], [], [])
    for act in acts where actors.insert(act.actor).inserted {
      if let name = act.name, known.insert(name).inserted { names.append(name) }
    }
    (self.family, count, self.names) = (family, actors.count, names)
    (self.newest, self.subjectName) = (newest, subjectName?.unlessBlank)
  }

  /// The words for all of them; the newest one's words if it is the only one, or if only the state counts.
  package var text: NotificationText {
    guard count > 1 else { return newest }
    return switch family {
    case .newFeedback: NotificationText(title: "New Feedback", body: naming("\(count) new items", "in"))
    case .votes: NotificationText(title: "New Votes", body: naming("\(people) voted", "for"))
    case .comments: NotificationText(title: "New Comments", body: naming("\(people) commented", "on"))
    case .proposalVotes:
      NotificationText(said: naming("\(people) voted", "on").text, list ?? newest.body)
    case .likes: NotificationText(said: "\(people) liked your visit", listAndSubject)
    case .visitComments: NotificationText(said: "\(people) commented on your visit", listAndSubject)
    case .messages: NotificationText(said: newest.title, countedBody.text)
    case .conflicts: NotificationText(said: "\(people) have a scheduling conflict", newest.body)
    case .statuses: NotificationText(said: newest.title, naming("\(count) items updated", "in").text)
    case .leads: newest
    }
  }

  /// The app's own keys for all of them, made from the newest one's keys.
  package func values(_ newest: [String: PushPayload.Value]) -> [String: PushPayload.Value] {
    guard family == .newFeedback || family == .statuses, count > 1, case .string(let project)? = newest["projectId"]
    else { return newest }
    return newest.openingProject(project)
  }

  private var people: String { "\(count) people" }

  private var list: String? { NameList(names, of: count).text }

  private func naming(_ words: Sentence, _ preposition: Sentence) -> Sentence {
    subjectName.map { "\(words) \(preposition) \($0)" } ?? words
  }

  private var listAndSubject: String {
    guard let list else { return subjectName?.closed ?? newest.body }
    return subjectName.map { "\(list) • \($0.isolated)" } ?? list
  }

  /// The body, short enough that neither the inbox nor the push cuts off the number.
  private var countedBody: Sentence { "\(newest.body.shortened(toScalars: 400)) (\(count) new messages)" }
}

extension [String: PushPayload.Value] {
  /// Adds a link to a project of FeedbackKit.
  package func openingProject(_ id: String) -> Self {
    guard let project = UUID(uuidString: id) else { return self }
    return merging(["actionUrl": .string(DeepLink.project(project).url)]) { _, new in new }
  }
}
