/// Whether the story went as it should: a push at every step, and somebody who was not told.
struct Verdict: Sendable, Equatable {
  private(set) var defects: [String] = []
  private var untold = 0

  /// Takes a step's outcome into account.
  mutating func add(_ outcome: Outcome, of step: Step) {
    if outcome.eventIDs.count < step.events {
      defects.append("\(step.function) handled \(outcome.eventIDs.count) of \(step.events) events in time.")
    } else if outcome.unfinished > 0 {
      defects.append("\(step.function): \(outcome.unfinished) deliveries did not end in time.")
    } else if outcome.pushes.isEmpty {
      defects.append("\(step.function) led to no push.")
    }
    untold += outcome.untold.count
  }

  /// What is wrong; `nil` when nothing is.
  var complaint: String? {
    let all = defects + (untold == 0 ? ["Everybody was told everything."] : [])
    return all.isEmpty ? nil : all.joined(separator: " ")
  }
}
