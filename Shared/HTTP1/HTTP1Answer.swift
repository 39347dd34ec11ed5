/// The answer to one HTTP request.
package struct HTTP1Answer: Sendable {
  package var status: Int
  package var headers: [(String, String)]
  package var body: [UInt8]
  /// Why the function's own answer could not be sent.
  package var complaint: String?
  /// The sentence of a failure of the server's own.
  package var problem: String?

  package init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  /// The same with another header field.
  package func with(_ name: String, _ value: String) -> HTTP1Answer {
    var answer = self
    answer.headers.append((name, value))
    return answer
  }
}

extension HTTP1Answer {
  /// The connection's fate after an answer.
  package enum Sequel: String {
    case close
    /// It stays open, which HTTP/1.0 must be told.
    case keepAlive = "keep-alive"
    /// It stays open, as HTTP/1.1 does without a word.
    case usual
  }

  /// The bytes of the answer.
  ///
  /// - Parameter isHead: whether the body is left out.
  package func bytes(date: String, _ sequel: Sequel, isHead: Bool) -> [UInt8] {
    var head = beginning(date: date)
    if sequel != .usual { head += "Connection: \(sequel.rawValue)\r\n" }
    if hasBody { head += "Content-Length: \(body.count)\r\n" }
    head += "\r\n"
    var bytes: [UInt8] = []
    bytes.reserveCapacity(head.utf8.count + body.count)
    bytes += head.utf8
    if hasBody, !isHead { bytes += body }
    return bytes
  }

  /// The head of an answer whose body is sent piece by piece, until the connection is closed.
  func openHead(date: String) -> [UInt8] {
    Array("\(beginning(date: date))Connection: \(Sequel.close.rawValue)\r\n\r\n".utf8)
  }

  private func beginning(date: String) -> String {
    var head = "HTTP/1.1 \(statusText)\r\nDate: \(date)\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    return head
  }

  /// The status with its reason: `200 OK`.
  package var statusText: String { "\(status) \(Self.reasons[status] ?? "")" }

  private var hasBody: Bool { status != 204 && status != 304 }

  private static let reasons = [
    200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
    205: "Reset Content", 206: "Partial Content", 300: "Multiple Choices", 301: "Moved Permanently", 302: "Found",
    303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
    401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
    412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
    417: "Expectation Failed", 418: "I'm a teapot", 421: "Misdirected Request", 422: "Unprocessable Content",
    423: "Locked", 424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
    429: "Too Many Requests", 431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
  ]
}
