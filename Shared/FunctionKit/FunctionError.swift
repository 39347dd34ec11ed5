/// The one error that crosses a function's boundary: a code that decides exit status and retry, and a sentence.
///
/// Callers see the message; only the log has the cause.
package struct FunctionError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package let code: Code
  /// One sentence that a caller may see.
  package let message: String
  /// Seconds after which another try makes sense, for ``Code/unavailable`` and ``Code/databaseAway``.
  package let retryAfter: Int?
  /// The cause, for the log only.
  package let cause: (any Error)?
  /// Advice for a person who runs the program; no other caller sees it.
  package let advice: String?

  package init(
    _ code: Code, _ message: String, retryAfter: Int? = nil, cause: (any Error)? = nil, advice: String? = nil
  ) {
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
    self.cause = cause
    self.advice = advice
  }

  package var description: String { message }

  /// The kinds of failure and, as sysexits.h numbers them, the exit status of each.
  package enum Code: String, Sendable, CaseIterable {
    /// The command line was wrong, or there was no event (64). Not retried.
    case usage = "USAGE"
    /// The event is malformed (65). Not retried.
    case invalidEvent = "INVALID_EVENT"
    /// A file that was named is not there (66). Not retried.
    case noInput = "NO_INPUT"
    /// Anything unforeseen (70). Retried.
    case failed = "FAILED"
    /// Standard output could not be written (74). Retried.
    case outputClosed = "OUTPUT_CLOSED"
    /// Something needed is away for the moment (75). Retried.
    case unavailable = "UNAVAILABLE"
    /// The database was not reached, or said nothing any more (75). Retried, and costs a queued event no attempt.
    case databaseAway = "DATABASE_AWAY"
    /// The function lacks a right (77). Pauses the function.
    case notPermitted = "NOT_PERMITTED"
    /// The configuration is wrong (78). Pauses the function.
    case misconfigured = "MISCONFIGURED"

    /// The exit status.
    package var exitStatus: Int32 {
      switch self {
      case .usage: 64
      case .invalidEvent: 65
      case .noInput: 66
      case .failed: 70
      case .outputClosed: 74
      case .unavailable, .databaseAway: 75
      case .notPermitted: 77
      case .misconfigured: 78
      }
    }
  }

  /// Any error as one of these.
  ///
  /// The caller learns nothing about an unknown one.
  package init(_ error: any Error) {
    self = error as? FunctionError ?? FunctionError(.failed, "The function failed; its log says why.", cause: error)
  }

  /// The same for a person who runs a program, who sees the advice, too.
  package var advised: FunctionError {
    guard let advice else { return self }
    return FunctionError(code, "\(message) \(advice)", retryAfter: retryAfter, cause: cause)
  }

  /// The error for stdout: `{"code","message"}`, with `retryAfter` if there is one.
  var json: RawJSON {
    var members = [("code", RawJSON(code.rawValue)), ("message", RawJSON(message))]
    if let retryAfter { members.append(("retryAfter", RawJSON(retryAfter))) }
    return RawJSON(object: members)
  }
}
