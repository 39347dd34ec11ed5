package import FunctionKit

/// How one invocation of a function ended.
///
/// A failing function is an outcome, never a thrown error.
package struct WorkerOutcome: Sendable {
  package var ending: Ending
  package var duration: Duration = .zero
  /// The last of what the function wrote on stderr meanwhile.
  package var stderrTail = ""
  /// The highest count of `progress` that it reported, 0 where it reported none.
  package var progress: Int64 = 0

  package enum Ending: Sendable {
    /// It answered, or ended by itself with that exit status.
    case exited(Int32, output: RawJSON?)
    /// Exit status 0, but not one JSON document.
    case invalidOutput(String)
    case crashed(signal: Int32)
    case timedOut(seconds: Int)
    case couldNotStart(String)
  }

  /// What becomes of a queued event.
  package enum Disposition: Equatable {
    case done
    case retry(after: Int?)
    /// Trying again cannot help: a dead letter.
    case permanent
    /// The function is misconfigured: its events wait and lose no attempt.
    case pause
  }

  package var disposition: Disposition {
    switch ending {
    case .exited(0, _): .done
    case .exited(64...66, _), .invalidOutput: .permanent
    case .exited(75, let output): .retry(after: output?["retryAfter"]?.intValue)
    case .exited(77, _), .exited(78, _), .couldNotStart: .pause
    case .exited, .crashed, .timedOut: .retry(after: nil)
    }
  }

  /// Whether the function says that its database was away, or fell silent: that is not the event's fault.
  package var isDatabaseAway: Bool {
    if case .exited(75, let output) = ending { output?["code"]?.stringValue == "DATABASE_AWAY" } else { false }
  }

  /// The gateway's code for a failure; also what histories and dead letters show.
  package var code: String {
    switch ending {
    case .exited(0, _): "OK"
    case .exited(64...66, _): "INVALID_EVENT"
    case .exited(75, _): "UNAVAILABLE"
    case .exited(77, _), .exited(78, _): "CONFIG_ERROR"
    case .exited: "WORKER_ERROR"
    case .invalidOutput: "INVALID_OUTPUT"
    case .crashed: "WORKER_CRASH"
    case .timedOut: "WORKER_TIMEOUT"
    case .couldNotStart: "BOOT_ERROR"
    }
  }

  /// One sentence that a caller may see.
  package var message: String {
    switch ending {
    case .exited(0, _): "Done."
    case .exited(let status, let output):
      output?["message"]?.stringValue ?? "The function ended with exit status \(status)."
    case .invalidOutput(let problem): problem
    case .crashed(let signal): "The function was ended by signal \(signal)."
    case .timedOut(let seconds): "The function did not answer within \(seconds) s and was ended."
    case .couldNotStart(let reason): "The function could not be started: \(reason)."
    }
  }

  /// How long it took, for a log.
  package var milliseconds: String { "\(Int(duration / .microseconds(1)) / 1_000)" }

  /// How long it took, for the history.
  package var microseconds: Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
