import Documents
import FoundationEssentials
import Notifications

extension UnreadReport {
  /// Says what becomes of it.
  mutating func conclude(_ clock: LocalClock, from reference: Date) {
    switch state {
    case .waiting:
      let because = reason.map { ": \(Hold.Reason(rawValue: $0)?.words ?? $0)" } ?? ""
      words = "If it stays unread, \(function) gets it at \(clock.brief(at, from: reference))\(because)."
    case .given:
      let but = reason == "no_mailbox" ? ", but the person's address has no mailbox (no_mailbox)" : ""
      words = "It stayed unread: \(function) got it at \(clock.exact(at, from: reference))\(but)."
    case .ended: words = "\(function) did not get it at \(clock.exact(at, from: reference)): \(cause)."
    }
  }

  private var cause: String {
    switch reason {
    case "unwanted": "they do not want to be reminded of what they have not read (unwanted)"
    case "failed": "every try to decide about it failed for a day (failed)"
    default: Verdict.plain(reason)
    }
  }
}
