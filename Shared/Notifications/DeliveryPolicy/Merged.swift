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
package struct Merged: Sendable {
  package let family: Kind.BatchingFamily
  /// How many people acted; for feedback and messages, how many there are.
  package let count: Int
  /// The known names of the people who acted: each name once, the oldest act first.
  package let names: [String]
  /// The words of the newest one.
  package let newest: NotificationText
  /// The name of the subject, or the project of new feedback; `nil` if it is unknown or private.
  package let subjectName: String?
  private let words: Words

  /// Merges one or more acts, the oldest first; the acts of one actor count once.
  package init(
    _ acts: some Sequence<Act>, in family: Kind.BatchingFamily, newest: NotificationText, subjectName: String? = nil,
    words: Words = .english
  ) {
    var (actors, known, names): (Set<String>, Set<String>, [String]) = ([], [], [])
    for act in acts where actors.insert(act.actor).inserted {
      if let name = act.name, known.insert(name).inserted { names.append(name) }
    }
    (self.family, count, self.names) = (family, actors.count, names)
    (self.newest, self.subjectName, self.words) = (newest, subjectName?.unlessBlank, words)
  }

  /// The words for all of them; the newest one's words if it is the only one, or if only the state counts.
  package var text: NotificationText {
    guard count > 1 else { return newest }
    return switch family {
    case .newFeedback, .votes, .comments: NotificationText(title: say("title"), body: saySubject("body"))
    case .proposalVotes: NotificationText(said: saySubject("title").text, list ?? newest.body)
    case .likes, .visitComments: NotificationText(said: say("title").text, listAndSubject)
    case .messages: NotificationText(said: newest.title, countedBody.text)
    case .conflicts: NotificationText(said: say("title").text, newest.body)
    case .statuses: NotificationText(said: newest.title, saySubject("body").text)
    case .leads: newest
    }
  }

  /// The app's own keys for all of them, made from the newest one's keys.
  package func values(_ newest: [String: PushPayload.Value]) -> [String: PushPayload.Value] {
    guard family == .newFeedback || family == .statuses, count > 1, case .string(let project)? = newest["projectId"]
    else { return newest }
    return newest.openingProject(project)
  }

  private var list: String? { NameList(names, of: count).text(in: words) }

  private func say(_ part: String, _ facts: [String: Words.Fact] = [:]) -> Sentence {
    words("several.\(family.rawValue).\(part)", facts.merging(["count": .count(count)]) { $1 })
  }

  private func saySubject(_ part: String) -> Sentence {
    subjectName.map { say("\(part)_named", ["subject": .value($0)]) } ?? say(part)
  }

  private var listAndSubject: String {
    guard let list else { return subjectName?.closed ?? newest.body }
    return subjectName.map { "\(list) • \(words.isolated($0))" } ?? list
  }

  /// The body, short enough that neither the inbox nor the push cuts off the number.
  private var countedBody: Sentence { say("body", ["message": .value(newest.body.shortened(toScalars: 400))]) }
}

extension [String: PushPayload.Value] {
  /// Adds a link to a project of FeedbackKit.
  func openingProject(_ id: String) -> Self {
    guard let project = UUID(uuidString: id) else { return self }
    return merging(["actionUrl": .string(DeepLink.project(project).url)]) { _, new in new }
  }
}
