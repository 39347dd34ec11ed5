import FoundationEssentials

/// What functions decided about one event.
struct EventReport: Encodable {
  let event: String
  /// Whether it is about an event that has not happened.
  let dryRun: Bool
  let handlings: [Handling]

  /// The decisions of one function, or of one part of it that notifies separately.
  struct Handling: Encodable {
    let function: String
    let source: String
    /// The event's id, followed by a slash and the part's name if there is one.
    let event: String
    let at: Date
    /// The number of people for each decision, the largest first.
    let counts: [Count]
    /// Why there were no candidates; `nil` unless the function gave a reason.
    let reason: String?
    /// Whether the function has finished the event.
    let isFinished: Bool
    /// The people, or the first of them.
    let people: [DecisionReport]

    var candidates: Int { counts.reduce(0) { $0 + $1.people } }

    /// The kind's name; `nil` if there is no decision.
    var kind: String? { people.first?.kind }
  }

  struct Count: Encodable {
    let decision: String
    let reason: String?
    let people: Int
    /// The decision in plain words.
    let words: String
  }
}
