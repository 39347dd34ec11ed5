import Documents

/// The effect of a gate on a notification: the one at which it ended may only have held it.
enum GateEffect: String {
  case passed, held, stopped
  case notAsked = "not_asked"

  /// - Parameter verdict: the decision that the gates led to.
  init(of gate: GateReport, in verdict: Verdict) {
    self =
      switch gate.verdict {
      case .passed: .passed
      case .stopped: verdict.decision == .hold ? .held : .stopped
      case .notAsked: .notAsked
      }
  }
}
