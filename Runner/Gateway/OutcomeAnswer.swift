import FoundationEssentials
import FunctionKit
package import HTTP1
import Workers

extension HTTP1Answer {
  /// The HTTP answer for the way a function ended.
  init(_ outcome: WorkerOutcome, callID: String) {
    let answer: HTTP1Answer =
      switch outcome.ending {
      case _ where outcome.answer != nil: HTTP1Answer(result: outcome.answer)
      case .exited(0, let output): HTTP1Answer(result: output)
      case .exited(let status, let output):
        .failure(exit: status, outcome.message, retryAfter: output?["retryAfter"])
      case .crashed: .failure(500, outcome.code, outcome.message)
      case .invalidOutput: .failure(502, outcome.code, outcome.message)
      case .couldNotStart: .failure(503, outcome.code, outcome.message)
      case .stopped: .failure(503, outcome.code, outcome.message).with("Retry-After", "1")
      case .timedOut: .failure(504, outcome.code, outcome.message)
      case .elsewhere(let end): .failure(elsewhere: end, outcome)
      }
    self = answer.ofCall(callID, after: outcome.duration)
  }

  private static func failure(elsewhere end: WorkerOutcome.Elsewhere, _ outcome: WorkerOutcome) -> HTTP1Answer {
    let status = [.away, .busy].contains(end.code) ? 503 : end.code == .timedOut ? 504 : 502
    let answer = failure(status, outcome.code, outcome.message)
    return end.retryAfter.map { answer.with("Retry-After", "\($0)") } ?? answer
  }
}

extension HTTP1Answer {
  /// One line of plain text; a newline is added.
  static func text(_ status: Int, _ text: String) -> HTTP1Answer {
    HTTP1Answer(status: status, headers: [("Content-Type", "text/plain")], body: Array("\(text)\n".utf8))
  }

  static func json(_ status: Int, _ document: RawJSON) -> HTTP1Answer {
    HTTP1Answer(status: status, headers: [("Content-Type", "application/json")], body: document.line)
  }

  /// `{"code","message","callId"}`.
  package static func failure(
    _ status: Int, _ code: String, _ message: String, callID: String? = nil
  ) -> HTTP1Answer {
    var members = [("code", RawJSON(code)), ("message", RawJSON(message))]
    if let callID { members.append(("callId", RawJSON(callID))) }
    var answer = json(status, RawJSON(object: members))
    answer.problem = message
    return callID.map { answer.with("X-Call-Id", $0) } ?? answer
  }

  /// The answer instead of a function's answer that cannot be sent.
  static func unusableAnswer(_ complaint: String) -> HTTP1Answer {
    var answer = failure(502, "INVALID_OUTPUT", complaint)
    answer.complaint = complaint
    return answer
  }

  /// The refusal of a method, or the list of the allowed ones.
  package static func methods(_ allowed: String, for method: String) -> HTTP1Answer {
    method == "OPTIONS"
      ? HTTP1Answer(status: 204, headers: [("Allow", allowed)])
      : failure(405, "METHOD_NOT_ALLOWED", "The method \(method) is not allowed here.").with("Allow", allowed)
  }

  package static func tooLarge(_ limit: Int) -> HTTP1Answer {
    failure(413, "TOO_LARGE", "The body is larger than \(limit) bytes.")
  }

  /// The answer to a request that cannot be read.
  init(_ malformed: MalformedRequest) {
    self = .failure(malformed.status, malformed.code, malformed.problem)
  }
}

// How an invocation ended.
extension HTTP1Answer {
  /// The answer with a function's result: what a result in the proxy shape says, else 200, or 204 without one.
  init(result: RawJSON?) {
    guard let result else {
      self.init(status: 204)
      return
    }
    self = ProxyAnswer.answer(of: result) ?? .json(200, result)
  }

  /// The answer for another exit status than 0.
  ///
  /// - Parameter retryAfter: what the function's error says: seconds, or nothing.
  static func failure(exit status: Int32, _ message: String, retryAfter: RawJSON?) -> HTTP1Answer {
    let answer = failure(ExitStatus.httpStatus(of: status), ExitStatus.code(of: status), message)
    guard status == 75 else { return answer }
    let seconds = retryAfter.map { $0.kind == .null ? 1 : $0.intValue ?? -1 } ?? 1
    guard seconds >= 0 else { return .unusableAnswer("The function's retryAfter is not a number of seconds.") }
    return answer.with("Retry-After", "\(seconds)")
  }

  /// The answer with what is known of the call: its id, and how long it took.
  func ofCall(_ id: String, after duration: Duration) -> HTTP1Answer {
    with("X-Call-Id", id).with("X-Duration-Seconds", Self.seconds(duration))
  }

  private static func seconds(_ duration: Duration) -> String {
    let (whole, attoseconds) = duration.components
    let microseconds = Int(whole) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    let fraction = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
  }
}

/// A result in the Lambda proxy shape, which sets status, header fields and body itself.
enum ProxyAnswer {
  /// The most bytes of all header fields of an answer.
  private static let mostHeaderBytes = 16_384

  /// The answer that a result is, or 502 where it cannot be sent as it is; `nil` for a result of another shape.
  static func answer(of result: RawJSON) -> HTTP1Answer? {
    // Each look into the document would read all of it, and its body may be large.
    let members = result.members
    guard let status = members.first(where: { $0.name == "statusCode" })?.value.intValue,
      (200...599).contains(status)
    else { return nil }
    guard let response = HTTPResponse(members) else {
      return .unusableAnswer("The function's headers, body or isBase64Encoded are not of their types.")
    }
    let headers = (response.headers ?? [:]).filter { !own.contains($0.key.lowercased()) }.sorted { $0.key < $1.key }
    if let complaint = complaint(about: headers) { return .unusableAnswer(complaint) }
    guard let body = body(of: response) else { return .unusableAnswer("The function's body is not Base64.") }
    return HTTP1Answer(status: status, headers: headers.map { ($0.key, $0.value) }, body: body)
  }

  /// The header fields that are the connection's business, not the function's.
  private static let own: Set = [
    "connection", "content-length", "date", "keep-alive", "transfer-encoding", "upgrade", "x-call-id",
    "x-duration-seconds",
  ]

  private static func complaint(about headers: [(key: String, value: String)]) -> String? {
    var size = 0
    for (name, value) in headers {
      size += name.utf8.count + value.utf8.count + 4
      guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter), value.utf8.allSatisfy(\.isFieldCharacter) else {
        return "The function's answer has a malformed header field."
      }
      if name.lowercased() == "retry-after", !isRetryTime(value) {
        return "The function's Retry-After is no number of seconds."
      }
    }
    return size > mostHeaderBytes ? "The function's header fields are larger than \(mostHeaderBytes) bytes." : nil
  }

  /// Seconds, or a date.
  private static func isRetryTime(_ value: String) -> Bool {
    !value.isEmpty && (value.utf8.allSatisfy(\.isDigit) || value.hasSuffix(" GMT"))
  }

  private static func body(of response: HTTPResponse) -> [UInt8]? {
    let body = response.body ?? ""
    guard response.isBase64Encoded == true else { return Array(body.utf8) }
    return Data(base64Encoded: body).map { Array($0) }
  }
}
