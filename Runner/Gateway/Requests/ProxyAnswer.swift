import FoundationEssentials
import FunctionKit
import HTTP1

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
