/// Whether the story was right: every step led to a push, and some person was not notified.
struct Verdict: Sendable, Equatable {
  private(set) var defects: [String] = []
  private var notNotified = 0

  mutating func add(_ outcome: Outcome, of step: Step) {
    if outcome.eventIDs.count < step.events {
      defects.append("\(step.function) handled \(outcome.eventIDs.count) of \(step.events) events in time.")
    } else if outcome.unfinished > 0 {
      defects.append("\(step.function): \(outcome.unfinished) deliveries did not end in time.")
    } else if outcome.pushes.isEmpty {
      defects.append("\(step.function) led to no push.")
    }
    notNotified += outcome.notNotified.count
  }

  /// The fault; `nil` when there is none.
  var complaint: String? {
    let all = defects + (notNotified == 0 ? ["Everybody was told everything."] : [])
    return all.isEmpty ? nil : all.joined(separator: " ")
  }
}
