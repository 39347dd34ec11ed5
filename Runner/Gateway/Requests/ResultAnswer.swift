import FunctionKit
package import HTTP1
import Workers

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
