import Documents
import FoundationEssentials
import Notifications

extension UnreadReport {
  /// Says what becomes of it.
  ///
  /// - Parameter app: whose notification it is.
  mutating func conclude(_ clock: LocalClock, from reference: Date, in app: String) {
    switch state {
    case .waiting:
      let because = reason.map { ": \(Hold.Reason(rawValue: $0)?.words ?? $0)" } ?? ""
      words = "If it stays unread, \(function) gets it at \(clock.brief(at, from: reference))\(because)."
    case .given:
      let but = reason == "no_mailbox" ? ", but the person's address has no mailbox (no_mailbox)" : ""
      words = "It stayed unread: \(function) got it at \(clock.exact(at, from: reference))\(but)."
    case .ended: words = "\(function) did not get it at \(clock.exact(at, from: reference)): \(cause(in: app))."
    }
  }

  private func cause(in app: String) -> String {
    switch reason {
    case "unwanted": "they do not want to be reminded of what they have not read (unwanted)"
    case "failed": "every try to decide about it failed for a day (failed)"
    default: Verdict.plain(reason, in: app)
    }
  }
}
