import Glibc

/// A call of a server on this machine or beside it, over a connection of its own.
package struct HTTP1Call: Sendable {
  private let method: String
  private let path: String
  private let headers: [(String, String)]
  private let body: [UInt8]

  package init(_ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8] = []) {
    (self.method, self.path, self.headers, self.body) = (method, path, headers, body)
  }

  package enum Failure: Error, CustomStringConvertible {
    /// The interruption came while the answer was awaited; nothing of it has been read.
    case interrupted
    case noAnswer(String)
    /// The answer's body is larger than the limit; the answer has no body.
    case tooLarge(HTTP1Answer)

    package var description: String {
      switch self {
      case .interrupted: "The process was told to end."
      case .noAnswer(let reason): reason
      case .tooLarge: "The answer is too large."
      }
    }
  }

  /// Sends the call, and waits for the answer without a limit of time unless one is given.
  ///
  /// - Parameters:
  ///   - most: the largest body of an answer, in bytes.
  ///   - limit: how long each wait for the server may take.
  ///   - interruption: a descriptor; when it becomes readable before the answer has begun, there is none.
  package func send(
    to address: SocketAddress, host: String, most: Int, limit: Duration? = nil, interruption: Int32 = -1
  ) throws(Failure) -> HTTP1Answer {
    let descriptor = address.makeSocket()
    defer { close(descriptor) }
    var connected = address.with { connect(descriptor, $0, $1) }
    while connected != 0, errno == EINTR { connected = address.with { connect(descriptor, $0, $1) } }
    guard connected == 0 || errno == EISCONN else { throw Self.failure("connect") }
    var line = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
    for (name, value) in headers { line += "\(name): \(value)\r\n" }
    if method != "GET" { line += "Content-Length: \(body.count)\r\n" }
    // A server may answer before it has read a body that it refuses.
    let isSent = Self.write(Array("\(line)\r\n".utf8) + body, to: descriptor)
    var reader = AnswerReader(most: most)
    while true {
      try Self.wait(descriptor, limit, reader.hasBegun ? -1 : interruption)
      var received = 0
      let piece = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        repeat { received = recv(descriptor, buffer.baseAddress, buffer.count, 0) } while received < 0 && errno == EINTR
        count = max(0, received)
      }
      guard received >= 0 else { throw Self.failure(isSent ? "read" : "write") }
      if let answer = try reader.take(piece, isEnd: received == 0) { return answer }
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        let count = Glibc.send(
          descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Int32(MSG_NOSIGNAL))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  private static func wait(_ descriptor: Int32, _ limit: Duration?, _ interruption: Int32) throws(Failure) {
    var entries = [descriptor, interruption].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let patience = limit.map { Int32($0 / .milliseconds(1)) } ?? -1
    var count: Int32
    repeat { count = poll(&entries, 2, patience) } while count < 0 && errno == EINTR
    guard count != 0 else { throw .noAnswer("The server does not answer.") }
    if entries[0].revents == 0, entries[1].revents != 0 { throw .interrupted }
  }

  private static func failure(_ call: String) -> Failure { .noAnswer("\(call): \(String(cString: strerror(errno)))") }
}

/// Puts an answer together from the pieces that come.
struct AnswerReader {
  /// The largest head, in bytes.
  private static let largestHead = 65_536

  private let most: Int
  private var bytes: [UInt8] = []
  /// Where the last line of the head begins, and where the search for its end goes on.
  private var (lineStart, searched) = (0, 0)
  private var answer: HTTP1Answer?
  private var body = RequestBody()
  /// Whether the body ends with the connection.
  private var endsWithConnection = false

  init(most: Int) { self.most = most }

  var hasBegun: Bool { answer != nil || !bytes.isEmpty }

  /// - Parameter isEnd: whether the server has closed the connection.
  /// - Returns: the answer when it is complete.
  mutating func take(_ piece: [UInt8], isEnd: Bool) throws(HTTP1Call.Failure) -> HTTP1Answer? {
    bytes += piece
    while answer == nil, let end = headEnd() {
      let head = try head(bytes[..<end])
      bytes.removeFirst(end)
      (lineStart, searched) = (0, 0)
      // Such as 100 Continue: the answer follows.
      if head.status >= 200 { answer = head }
    }
    guard var answer else {
      guard !isEnd, bytes.count <= Self.largestHead else { throw .noAnswer("The answer has no end of its head.") }
      return nil
    }
    if endsWithConnection {
      guard bytes.count <= most else { throw .tooLarge(answer) }
      answer.body = bytes
      return isEnd ? answer : nil
    }
    guard (body.expected ?? 0) <= most else { throw .tooLarge(answer) }
    do {
      _ = try bytes.withUnsafeBytes { bytes throws(MalformedRequest) in try body.take(bytes) }
    } catch {
      throw .noAnswer("The answer's chunks are malformed.")
    }
    bytes = []
    guard body.received <= most else { throw .tooLarge(answer) }
    guard body.isComplete else {
      guard !isEnd else { throw .noAnswer("The answer ends too early.") }
      return nil
    }
    answer.body = body.release()
    return answer
  }

  /// Where the head ends: after its empty line.
  private mutating func headEnd() -> Int? {
    while let feed = bytes[searched...].firstIndex(of: .lineFeed) {
      let isEmpty = feed == lineStart || feed == lineStart + 1 && bytes[lineStart] == .carriageReturn
      (lineStart, searched) = (feed + 1, feed + 1)
      if isEmpty { return feed + 1 }
    }
    searched = bytes.count
    return nil
  }

  private mutating func head(_ head: ArraySlice<UInt8>) throws(HTTP1Call.Failure) -> HTTP1Answer {
    let lines = head.split(separator: .lineFeed).map { line in
      String(decoding: line.last == .carriageReturn ? line.dropLast() : line, as: UTF8.self)
    }
    let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]), (100...599).contains(status)
    else { throw .noAnswer("The answer is not HTTP.") }
    var answer = HTTP1Answer(status: status)
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...]
      answer.headers.append((line[..<colon].lowercased(), String(value.trimming { $0 == " " || $0 == "\t" })))
    }
    if answer["transfer-encoding"]?.lowercased() == "chunked" {
      body = RequestBody(.chunked)
    } else if let length = answer["content-length"] {
      guard let count = Int(length), count >= 0 else { throw .noAnswer("The answer has no valid length.") }
      body = RequestBody(.length(count))
    } else {
      endsWithConnection = status != 204 && status != 304
    }
    return answer
  }
}

extension HTTP1Answer {
  /// The value of the first header field of that name in an answer that was received, given in lower case.
  package subscript(name: String) -> String? { headers.first { $0.0 == name }?.1 }
}

extension Substring {
  fileprivate func trimming(_ isBlank: (Character) -> Bool) -> Substring {
    var rest = self
    while let first = rest.first, isBlank(first) { rest.removeFirst() }
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }
}
