import FunctionKit
import HTTP1

/// Whether a balancer should send calls to this runner.
package struct Readiness {
  package enum Problem: String {
    /// The database does not answer.
    case database
    /// This runner has no part of the queue.
    case partitions
    /// It is about to end.
    case draining

    /// The same in words.
    package var text: String {
      switch self {
      case .database: "the database does not answer"
      case .partitions: "other runners have all parts of the queue"
      case .draining: "it is about to end"
      }
    }
  }

  /// Why it is not ready.
  package var problems: [Problem]
  /// The functions that are held although it is ready for all others.
  var degraded: [String]

  package init(problems: [Problem] = [], degraded: [String] = []) {
    (self.problems, self.degraded) = (problems, degraded)
  }

  /// `{"ready","problems"}`, and `"degraded"` where functions are held, with status 200 or 503.
  var answer: HTTP1Answer {
    let held = degraded.isEmpty ? [] : [("degraded", RawJSON(array: degraded.map { RawJSON($0) }))]
    let problems = problems.map { RawJSON($0.rawValue) }
    return .json(
      problems.isEmpty ? 200 : 503,
      RawJSON(object: [("ready", RawJSON(problems.isEmpty)), ("problems", RawJSON(array: problems))] + held))
  }
}
