package import FunctionKit

/// How one invocation of a function ended.
///
/// A failing function is an outcome, never a thrown error.
package struct WorkerOutcome: Sendable {
  package var ending: Ending
  package var duration: Duration
  /// The last of what the function wrote on stderr meanwhile.
  var stderrTail: String
  /// The highest count of `progress` that it reported, 0 where it reported none.
  package var progress: Int64
  /// The answer to the caller of a function that runs elsewhere, in the Lambda proxy shape.
  package var answer: RawJSON?

  package init(
    ending: Ending, duration: Duration = .zero, stderrTail: String = "", progress: Int64 = 0, answer: RawJSON? = nil
  ) {
    (self.ending, self.duration, self.stderrTail) = (ending, duration, stderrTail)
    (self.progress, self.answer) = (progress, answer)
  }

  package enum Ending: Sendable {
    /// It answered, or ended by itself with that exit status.
    case exited(Int32, output: RawJSON?)
    /// Exit status 0, but not one JSON document.
    case invalidOutput(String)
    case crashed(signal: Int32)
    case timedOut(seconds: Int)
    case couldNotStart(String)
    /// The runner stops: it was ended before its answer, or not started any more.
    case stopped
    /// It runs elsewhere and has not done it.
    case elsewhere(Elsewhere)
  }

  /// Why an event was not done elsewhere.
  package struct Elsewhere: Sendable, Equatable {
    /// The code that histories and dead letters show.
    package var code: Code
    package var message: String
    package var disposition: Disposition
    /// Seconds after which it may be tried again.
    package var retryAfter: Int?

    package enum Code: String, Sendable {
      /// It says that trying again cannot help.
      case refused = "TARGET_REFUSED"
      /// It says that it has failed.
      case failed = "TARGET_FAILED"
      /// It says that it has too much to do.
      case busy = "TARGET_BUSY"
      /// It got the event, and did not answer in time.
      case timedOut = "TARGET_TIMEOUT"
      /// It got the event, and its answer was broken off or no HTTP.
      case lost = "TARGET_LOST"
      /// It was not reached, or is not asked for now.
      case away = "TARGET_AWAY"
    }

    package init(_ code: Code, _ message: String, _ disposition: Disposition, retryAfter: Int? = nil) {
      (self.code, self.message, self.disposition, self.retryAfter) = (code, message, disposition, retryAfter)
    }
  }

  /// The fate of a queued event.
  package enum Disposition: Sendable, Equatable {
    case done
    case retry(after: Int?)
    /// Trying again cannot help: a dead letter.
    case permanent
    /// The function is misconfigured, or cannot run now: its events wait and lose no attempt.
    case pause
  }

  package var disposition: Disposition {
    switch ending {
    case .exited(0, _): .done
    case .exited(64...66, _), .invalidOutput: .permanent
    case .exited(75, let output): .retry(after: output?["retryAfter"]?.intValue)
    case .exited(77, _), .exited(78, _), .couldNotStart, .stopped: .pause
    case .exited, .crashed, .timedOut: .retry(after: nil)
    case .elsewhere(let end): end.disposition
    }
  }

  /// Whether the function says that its database was away, or fell silent: that is not the event's fault.
  package var isDatabaseAway: Bool {
    if case .exited(75, let output) = ending { output?["code"]?.stringValue == "DATABASE_AWAY" } else { false }
  }

  /// The gateway's code for a failure; also what histories and dead letters show.
  package var code: String {
    switch ending {
    case .exited(let status, _): ExitStatus.code(of: status)
    case .invalidOutput: "INVALID_OUTPUT"
    case .crashed: "WORKER_CRASH"
    case .timedOut: "WORKER_TIMEOUT"
    case .couldNotStart: "BOOT_ERROR"
    case .stopped: "RUNNER_STOPPING"
    case .elsewhere(let end): end.code.rawValue
    }
  }

  /// One sentence that a caller may see.
  ///
  /// Like ``report`` it has U+FFFD for each U+0000, which PostgreSQL's text cannot hold.
  package var message: String { sentence.storable }

  /// The text that the history, a retry or a dead letter keeps: the sentence, and the end of stderr.
  package var report: String { stderrTail.isEmpty ? message : "\(message)\n\(stderrTail.storable)" }

  private var sentence: String {
    switch ending {
    case .exited(0, _): "Done."
    case .exited(let status, let output):
      output?["message"]?.stringValue ?? "The function ended with exit status \(status)."
    case .invalidOutput(let problem): problem
    case .crashed(let signal): "The function was ended by signal \(signal)."
    case .timedOut(let seconds): "The function did not answer within \(seconds) s and was ended."
    case .couldNotStart(let reason): "The function could not be started: \(reason)."
    case .stopped: "The runner is stopping."
    case .elsewhere(let end): end.message
    }
  }

  /// Whether nobody has to mend the function: its target elsewhere is not asked for now, or the runner is stopping.
  package var isOutage: Bool {
    switch ending {
    case .elsewhere(let end): end.disposition == .pause
    case .stopped: true
    default: false
    }
  }

  /// Whether a target elsewhere has too much to do.
  package var isBusy: Bool {
    if case .elsewhere(let end) = ending { end.code == .busy } else { false }
  }

  /// How long it took, for a log.
  package var milliseconds: String { "\(Int(duration / .microseconds(1)) / 1_000)" }

  /// How long it took, for the history.
  package var microseconds: Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}

extension String {
  fileprivate var storable: String { utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self }
}

/// One line of a `--stream` function's answers.
struct StreamAnswer {
  let id: String?
  let exit: Int32
  let output: RawJSON?

  /// `nil` where the line is not one.
  init?(_ line: ArraySlice<UInt8>) {
    guard let members = try? RawJSON.members(validating: line) else { return nil }
    var (id, exit, output): (String?, Int32?, RawJSON?)
    for member in members {
      switch member.name {
      case "id": id = member.value.stringValue
      case "exit": exit = member.value.intValue.flatMap(Int32.init(exactly:))
      case "result", "error": output = member.value
      default: break
      }
    }
    guard let exit else { return nil }
    (self.id, self.exit, self.output) = (id, exit, output)
  }

  /// Whether it is the answer to the event that is first in the queue.
  ///
  /// A function that cannot make sense of an event cannot name it either; one that has handled it must.
  func isMeant(for first: String) -> Bool {
    id.map { $0 == first } ?? (exit != 0)
  }
}

/// The meaning of the exit statuses of functions over HTTP.
package enum ExitStatus {
  /// The status for another exit status than 0.
  package static func httpStatus(of exit: Int32) -> Int {
    switch exit {
    case 64...66: 400
    case 75: 503
    default: 500
    }
  }

  /// The code in an answer and in histories.
  package static func code(of exit: Int32) -> String {
    switch exit {
    case 0: "OK"
    case 64...66: "INVALID_EVENT"
    case 75: "UNAVAILABLE"
    case 77, 78: "CONFIG_ERROR"
    default: "WORKER_ERROR"
    }
  }
}
