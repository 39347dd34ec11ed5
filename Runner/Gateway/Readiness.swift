import FunctionKit

/// Whether a balancer should send calls to this runner.
package struct Readiness {
  package enum Problem: String {
    /// The database does not answer.
    case database
    /// This runner holds no part of the queue.
    case lanes
    /// It is about to end.
    case draining
  }

  /// What keeps it from being ready.
  var problems: [Problem]

  package init(problems: [Problem] = []) {
    self.problems = problems
  }

  /// `{"ready","problems"}`, with status 200 or 503.
  var answer: GatewayAnswer {
    .json(
      problems.isEmpty ? 200 : 503,
      RawJSON(object: [
        ("ready", RawJSON(problems.isEmpty)), ("problems", RawJSON(array: problems.map { RawJSON($0.rawValue) })),
      ]))
  }
}
