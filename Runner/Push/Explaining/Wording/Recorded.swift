import Documents
import FoundationEssentials
import Notifications

/// A recorded decision, with the facts from which its gates can be asked again.
struct Recorded {
  let user: UUID
  let subject: String
  let reason: RecipientReason
  let kind: Kind
  let facts: DecisionFacts
  let verdict: Verdict
  let at: Date
  let zone: String?

  /// Every gate with its answer, and the verdict with the end of its hold.
  ///
  /// The gates are empty if they now give another verdict than the recorded one: then their inputs were not recorded.
  func explained(asking gates: [Gate]) -> (gates: [GateReport], verdict: Verdict) {
    let candidate = facts.candidate(user, about: subject, as: reason, for: kind)
    let answers = Gate.answers(on: candidate, of: kind, until: facts.expiry(at: at), asking: gates, at: at)
    let decision = answers.lazy.compactMap { if case .stopped(let decision) = $0.answer { decision } else { nil } }
    let again = Verdict(decision.first ?? .notify)
    guard (again.decision, again.reason) == (verdict.decision, verdict.reason) else { return ([], verdict) }
    let clock = LocalClock(zone: candidate.quietHours == nil ? zone : candidate.timeZone)
    let wording = GateWording(candidate: candidate, kind: kind, now: at, clock: clock)
    let reports = answers.map { gate, answer in
      GateReport(
        number: (Gate.allCases.firstIndex(of: gate) ?? 0) + 1, gate: gate.rawValue,
        title: gate.title, input: wording.input(of: gate), verdict: answer.word, outcome: wording.outcome(answer))
    }
    return (reports, again)
  }
}

extension Verdict {
  init(_ decision: Decision) {
    switch decision {
    case .notify: self.init(decision: .notify, reason: nil)
    case .hold(let hold): self.init(decision: .hold, reason: hold.reason.rawValue, until: hold.until)
    case .suppress(let suppression): self.init(decision: .suppress, reason: suppression.rawValue)
    }
  }
}

extension Gate.Answer {
  fileprivate var word: GateReport.Answer {
    switch self {
    case .passed: .passed
    case .stopped: .stopped
    case .notAsked: .notAsked
    }
  }
}
