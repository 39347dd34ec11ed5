import Documents
import Foundation

/// People and decisions as the documents of commands have them.
enum Sample {
  static func person(_ name: String) -> PersonSummary {
    PersonSummary(id: RowID(uuid: UUID()), name: name, email: nil)
  }

  static func decision(_ name: String, _ outcome: DecisionOutcome, stoppedAt: Int?) -> DecisionReport {
    let gates = (1...3).map { number in
      let verdict: GateReport.Answer =
        switch stoppedAt {
        case let stop? where number == stop: .stopped
        case let stop? where number > stop: .notAsked
        default: .passed
        }
      return GateReport(
        number: number, gate: "\(number)", title: "gate \(number)", input: "fact \(number)", verdict: verdict,
        outcome: nil)
    }
    var decision = DecisionReport(
      person: person(name), recipientReason: "submitter", app: "lockitin", kind: "new_vote", subject: "s", event: "e",
      function: "f", at: .distantPast, verdict: Verdict(decision: .notify, reason: nil), gates: gates)
    decision.outcome = outcome
    return decision
  }
}
