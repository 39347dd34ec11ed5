import HTTP1

/// A server without a socket, which reads text and writes text.
///
/// It answers a request with 200, and with method, path and body as the body. It refuses paths that begin with `/no`.
struct ServedText {
  private(set) var connection = HTTP1Connection(endless: 4_000)
  private(set) var output = ""
  /// Methods, paths and bodies of the requests that were taken.
  private(set) var requests: [String] = []
  /// How often the client was asked for a body.
  private(set) var invitations = 0
  /// Whether it answers what it has taken.
  var answers = true
  /// Whether clients get no other answer.
  var isDraining = false
  /// How many bytes the client reads of an answer at once.
  var window = Int.max

  private static let largest = 100
  private static let date = "Thu, 01 Jan 1970 00:00:00 GMT"

  /// Takes a text, in pieces of that many bytes.
  mutating func receive(_ text: String, by size: Int = .max) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(piece.count)
      follow(piece.withUnsafeBytes { connection.receive($0) })
    }
  }

  /// Answers the request that was taken.
  mutating func answer(_ text: String = "") {
    send(HTTP1Answer(status: 200, body: Array(text.utf8)))
    follow(connection.next())
  }

  /// The statuses of its answers.
  var statuses: [Int] {
    output.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: true).compactMap { Int($0.prefix(3)) }
  }

  private mutating func follow(_ first: HTTP1Connection.Event?) {
    var event = first
    while let present = event {
      take(present)
      event = connection.next()
    }
  }

  private mutating func take(_ event: HTTP1Connection.Event) {
    switch event {
    case .head(let head):
      connection.expect(Self.largest)
      if head.request.path.hasPrefix("/no") { connection.refuse(HTTP1Answer(status: 404)) }
    case .invitation: invitations += 1
    case .tooLarge: connection.refuse(HTTP1Answer(status: 413, body: Array("too large".utf8)))
    case .malformed(let problem): send(HTTP1Answer(status: problem.status, body: Array(problem.problem.utf8)))
    case .complete:
      if let refusal = connection.refusal { return send(refusal) }
      guard let request = connection.take() else { return }
      let body = String(decoding: request.body, as: UTF8.self)
      requests.append("\(request.method) \(request.path) \(body)")
      if answers { send(HTTP1Answer(status: 200, body: Array("<\(requests.last ?? "")>".utf8))) }
    }
  }

  private mutating func send(_ answer: HTTP1Answer) {
    connection.answer(answer, date: Self.date, closing: isDraining)
    drain()
  }

  /// Sends what is unsent.
  mutating func drain() {
    while connection.unsent > 0 {
      let piece = connection.withUnsent { Array($0.prefix(window)) }
      output += String(decoding: piece, as: UTF8.self)
      connection.sent(piece.count)
    }
    connection.finish(closing: isDraining)
  }

  /// Begins an answer without an end, instead of the answer to what was taken.
  mutating func stream() { connection.stream(HTTP1Answer(status: 200), date: Self.date) }

  /// Adds to that answer.
  mutating func add(_ text: String) { connection.send(Array(text.utf8)) }

  mutating func endStream() {
    connection.endStream()
    drain()
  }
}
