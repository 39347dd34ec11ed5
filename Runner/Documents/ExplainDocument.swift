package import FoundationEssentials

/// The decisions of functions about one event.
package struct ExplainDocument: Codable, Sendable {
  package var event: String
  /// Whether it is about an event that has not happened.
  package var dryRun: Bool
  package var handlings: [Handling]

  package init(event: String, dryRun: Bool, handlings: [Handling]) {
    (self.event, self.dryRun, self.handlings) = (event, dryRun, handlings)
  }

  /// The decisions of one function, or of one part of it that notifies separately.
  package struct Handling: Codable, Sendable {
    package var function: String
    package var source: String
    /// The event's id, followed by a slash and the part's name if there is one.
    package var event: String
    package var at: Date
    /// The number of people for each decision, the largest first.
    package var counts: [DecisionCount]
    /// Why there were no candidates; absent unless the function gave a reason.
    package var reason: String?
    /// Whether the function has finished the event.
    package var isFinished: Bool
    /// The people, or some of them: somebody of each decision, and then others by their ids, among whom the former stand
    /// again on the page of their ids.
    package var people: [DecisionReport]
    /// The value of `--after` that lists the people that come next; absent if there are none.
    package var next: String?

    package init(
      function: String, source: String, event: String, at: Date, counts: [DecisionCount], reason: String?,
      isFinished: Bool, people: [DecisionReport], next: String? = nil
    ) {
      (self.function, self.source, self.event, self.at) = (function, source, event, at)
      (self.counts, self.reason, self.isFinished) = (counts, reason, isFinished)
      (self.people, self.next) = (people, next)
    }

    /// The number of all people whom it concerned.
    package var candidates: Int { counts.reduce(0) { $0 + $1.people } }
  }
}

/// The answer of a panel's command to an id or an address: the decisions about an event, or the person whose it is.
package enum ExplainAnswer: Decodable, Sendable {
  case event(ExplainDocument)
  case person(PersonSummary)

  private enum Member: String, CodingKey {
    case person
  }

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    if members.contains(.person) {
      self = .person(try members.decode(PersonSummary.self, forKey: .person))
    } else {
      self = .event(try ExplainDocument(from: decoder))
    }
  }
}

/// The events that functions have decided about last, and what was told because a wait was over, the newest first.
package struct RecentDocument: Codable, Sendable {
  package var events: [Handled]

  package init(events: [Handled]) {
    self.events = events
  }

  /// The most of ``Handled/parts``.
  package static let mostParts = 12

  /// One of them, as one function handled it, with its parts.
  package struct Handled: Codable, Sendable {
    /// Where a wait was over: the event of the first one of `people`.
    package var event: String
    package var function: String
    package var source: String
    package var at: Date
    /// The number of people for each decision, the largest first; of each part only the first 200 are counted.
    package var counts: [DecisionCount]
    /// Whether there are people who were not counted; absent if there are none.
    package var hasMore: Bool?
    /// Some of the people, of each decision one at least, without their gates and pushes.
    package var people: [DecisionReport]?
    /// Further pushes that `people` got then, each with its decision, those of one person together; absent if there are none.
    package var otherPushes: [DecisionReport]?
    /// The end of a wait, such as `Quiet hours ended`, if that is why they were told then; absent for an event.
    package var title: String?
    /// The name of what they were told of then, the first if it is about several; absent for an event, or if none has a name.
    package var subjectName: String?
    /// How many more subjects they were told of; absent if there are none.
    package var otherSubjects: Int?
    /// The things that `people` were told then, the newest of each first, 12 at most; absent for an event.
    package var parts: [Part]?
    /// How many more they were told; absent if all are listed.
    package var otherParts: Int?

    package init(event: String, function: String, source: String, at: Date, counts: [DecisionCount]) {
      (self.event, self.function, self.source) = (event, function, source)
      (self.at, self.counts) = (at, counts)
    }
  }

  /// Something that had waited until somebody was told.
  package struct Part: Codable, Sendable {
    package var person: RowID
    package var event: String
    package var function: String
    /// The kind of notification.
    package var kind: String
    /// When it was decided that it waits.
    package var at: Date

    package init(person: RowID, event: String, function: String, kind: String, at: Date) {
      (self.person, self.event, self.function, self.kind, self.at) = (person, event, function, kind, at)
    }
  }
}

/// How many people one decision is about.
package struct DecisionCount: Codable, Sendable {
  package var decision: Verdict.Word
  package var reason: String?
  package var people: Int
  /// The decision in plain words.
  package var words: String

  package init(decision: Verdict.Word, reason: String?, people: Int, words: String) {
    (self.decision, self.reason, self.people, self.words) = (decision, reason, people, words)
  }
}
