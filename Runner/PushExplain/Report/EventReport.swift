import FoundationEssentials

/// What functions decided about one event.
struct EventReport: Encodable {
  let event: String
  /// Whether it is about an event that has not happened.
  let dryRun: Bool
  let handlings: [Handling]

  /// What one function decided, or one part of it that tells something of its own.
  struct Handling: Encodable {
    let function: String
    let source: String
    /// The event's id, behind a slash the name of the part.
    let event: String
    let at: Date
    /// How many people there were for each decision, the most first.
    let counts: [Count]
    /// Why nobody was thought of; `nil` unless the function said so.
    let reason: String?
    /// Whether the function is through with it.
    let isFinished: Bool
    /// The people, or the first of them.
    let people: [DecisionReport]

    var candidates: Int { counts.reduce(0) { $0 + $1.people } }

    /// The kind's name, where one was decided about.
    var kind: String? { people.first?.kind }
  }

  struct Count: Encodable {
    let decision: String
    let reason: String?
    let people: Int
  }
}
