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
  }

  /// Why it is not ready.
  var problems: [Problem]

  package init(problems: [Problem] = []) {
    self.problems = problems
  }

  /// `{"ready","problems"}`, with status 200 or 503.
  var answer: HTTP1Answer { .readiness(problems.map(\.rawValue)) }
}
