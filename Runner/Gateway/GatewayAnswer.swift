import FunctionKit

/// The answer to one HTTP request, from a function or the gateway itself.
struct GatewayAnswer: Sendable {
  var status: Int
  var headers: [(String, String)] = []
  var body: [UInt8] = []
  /// Why the function's own answer could not be sent.
  private(set) var complaint: String?
  /// The message for the log; set by ``failure(_:_:_:callID:)``.
  private(set) var problem: String?

  /// One line of plain text; a newline is added.
  static func text(_ status: Int, _ text: String) -> GatewayAnswer {
    GatewayAnswer(status: status, headers: [("Content-Type", "text/plain")], body: Array("\(text)\n".utf8))
  }

  /// Figures in Prometheus' text format.
  static func metrics(_ text: String) -> GatewayAnswer {
    GatewayAnswer(
      status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: Array(text.utf8))
  }

  static func json(_ status: Int, _ document: RawJSON) -> GatewayAnswer {
    GatewayAnswer(status: status, headers: [("Content-Type", "application/json")], body: document.line)
  }

  /// `{"code","message","callId"}`.
  static func failure(_ status: Int, _ code: String, _ message: String, callID: String? = nil) -> GatewayAnswer {
    var members = [("code", RawJSON(code)), ("message", RawJSON(message))]
    if let callID { members.append(("callId", RawJSON(callID))) }
    var answer = json(status, RawJSON(object: members))
    answer.problem = message
    return callID.map { answer.with("X-Call-Id", $0) } ?? answer
  }

  /// The answer instead of a function's answer that cannot be sent.
  static func unusable(_ complaint: String) -> GatewayAnswer {
    var answer = failure(502, "INVALID_OUTPUT", complaint)
    answer.complaint = complaint
    return answer
  }

  /// The same with another header field.
  func with(_ name: String, _ value: String) -> GatewayAnswer {
    var answer = self
    answer.headers.append((name, value))
    return answer
  }

  /// The gateway's own failure in the form that clients of an API expect: `{"error":true,"reason"}`.
  ///
  /// Source: https://docs.vapor.codes/basics/errors/
  var asAPIError: GatewayAnswer {
    guard let problem else { return self }
    var answer = self
    answer.body = RawJSON(object: [("error", RawJSON(true)), ("reason", RawJSON(problem))]).line
    return answer
  }

  static func notFound(_ path: String) -> GatewayAnswer { failure(404, "NOT_FOUND", "There is nothing at \(path).") }

  /// For a function that `--only`, `--except` or `--no-http` leaves to other runners.
  static func elsewhere(_ function: String) -> GatewayAnswer {
    failure(
      404, "NOT_FOUND",
      "This runner does not take calls of \(function) (--only, --except, --no-http); another one does.")
  }

  static func tooLarge(_ limit: Int) -> GatewayAnswer {
    failure(413, "TOO_LARGE", "The body is larger than \(limit) bytes.")
  }

  /// For a body for which there is no memory now.
  static let bodiesTooLarge = failure(503, "BUSY", "Too many bodies are being received.").with("Retry-After", "1")

  /// For a call while functions work on as many calls as there can be connections.
  static let busy = failure(503, "BUSY", "Too many calls are being worked on.").with("Retry-After", "1")

  /// For a token from an address with too many refused tokens.
  static func guessing(_ seconds: Int) -> GatewayAnswer {
    failure(429, "TOO_MANY_REQUESTS", "Too many tokens were refused; try again in \(seconds) s.")
      .with("Retry-After", "\(seconds)")
  }

  static let stopping = failure(503, "STOPPING", "The runner is stopping.").with("Retry-After", "1")

  static let unauthorized = failure(401, "UNAUTHORIZED", "The runner's key is missing or wrong.")
    .with("WWW-Authenticate", "Bearer")

  /// The refusal of a method, or the list of the allowed ones.
  static func methods(_ allowed: String, for method: String) -> GatewayAnswer {
    method == "OPTIONS"
      ? GatewayAnswer(status: 204, headers: [("Allow", allowed)])
      : failure(405, "METHOD_NOT_ALLOWED", "The method \(method) is not allowed here.").with("Allow", allowed)
  }
}
