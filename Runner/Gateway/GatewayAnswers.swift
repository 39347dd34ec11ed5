import FunctionKit
import HTTP1

// The gateway's own answers.
extension HTTP1Answer {
  /// Figures in Prometheus' text format.
  static func metrics(_ text: String) -> HTTP1Answer {
    HTTP1Answer(
      status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: Array(text.utf8))
  }

  /// The gateway's own failure in the form that clients of an API expect: `{"error":true,"reason"}`.
  ///
  /// Source: https://docs.vapor.codes/basics/errors/
  var asAPIError: HTTP1Answer {
    guard let problem else { return self }
    var answer = self
    answer.body = RawJSON(object: [("error", RawJSON(true)), ("reason", RawJSON(problem))]).line
    return answer
  }

  static func notFound(_ path: String) -> HTTP1Answer { failure(404, "NOT_FOUND", "There is nothing at \(path).") }

  /// For a function that `--only`, `--except` or `--no-http` leaves to other runners.
  static func elsewhere(_ function: String) -> HTTP1Answer {
    failure(
      404, "NOT_FOUND",
      "This runner does not take calls of \(function) (--only, --except, --no-http); another one does.")
  }

  /// For a body for which there is no memory now.
  static let bodiesTooLarge = failure(503, "BUSY", "Too many bodies are being received.").with("Retry-After", "1")

  /// For a call while functions work on as many calls as there can be connections.
  static let busy = failure(503, "BUSY", "Too many calls are being worked on.").with("Retry-After", "1")

  /// For a token from an address with too many refused tokens.
  static func guessing(_ seconds: Int) -> HTTP1Answer {
    failure(429, "TOO_MANY_REQUESTS", "Too many tokens were refused; try again in \(seconds) s.")
      .with("Retry-After", "\(seconds)")
  }

  /// For a request whose trusted proxy does not say clearly where it comes from.
  static let unreadableClient = failure(
    400, "BAD_REQUEST", "The proxy's X-Forwarded-For or Forwarded is malformed, or the two say different things.")

  static let stopping = failure(503, "STOPPING", "The runner is stopping.").with("Retry-After", "1")

  /// For calls from other machines while there is no key.
  static let notFromHere = failure(
    401, "UNAUTHORIZED",
    "The runner has no key, so it takes this call only from its own machine and without a proxy: set RUNNER_KEY."
  )
  .with("WWW-Authenticate", "Bearer")

  static let unauthorized = failure(401, "UNAUTHORIZED", "The runner's key is missing or wrong.")
    .with("WWW-Authenticate", "Bearer")
}
