import CLI
import FoundationEssentials

/// The difference between another clock and this machine's.
struct ClockSkew {
  /// Seconds beyond which tokens are refused: Google tolerates five minutes, Apple an hour.
  static let tolerated = 300.0
  /// Seconds beyond which the doctor warns.
  static let noted = 30.0

  /// Seconds that this machine is ahead.
  let seconds: Double

  /// - Parameters:
  ///   - theirs: what the other clock showed.
  ///   - before: what ours showed before it was asked, and `after` when the answer came.
  init(theirs: Date, before: Date, after: Date) {
    let nearest = min(max(theirs, before), after)
    seconds = nearest.timeIntervalSince(theirs)
  }

  func finding(_ whose: String) -> Finding {
    let amount = Int(abs(seconds).rounded())
    let sentence = "this machine is \(amount) s \(seconds > 0 ? "ahead of" : "behind") \(whose)"
    switch abs(seconds) {
    case ...Self.noted: return .ok("clock", "agrees with \(whose)")
    case ...Self.tolerated: return .warning("clock", "\(sentence): synchronise it")
    default: return .missing("clock", "\(sentence): tokens are refused; synchronise it")
    }
  }
}
