/// The head of a request: its first line and its fields, in strict RFC 9112.
///
/// A head that a proxy before the server could read in another way is refused. So no client can hide a request in the
/// body of another one.
/// Source: https://www.rfc-editor.org/rfc/rfc9112
package struct RequestHead: Sendable {
  package var request: HTTP1Request
  package private(set) var framing: BodyFraming
  /// Whether the client may send another request after this one.
  private(set) var keepsOpen: Bool
  /// Whether the client waits to be asked for the body.
  private(set) var awaitsInvitation: Bool
  /// Whether it is HTTP/1.0.
  package private(set) var isOld: Bool

  /// - Parameter bytes: the whole head with its empty line; each line ends in CR LF.
  init(_ bytes: ArraySlice<UInt8>) throws(MalformedRequest) {
    var rest = bytes
    let line = try RequestLine(Self.nextLine(&rest))
    isOld = line.isOld
    var headers = HeaderFields()
    while true {
      let field = Self.nextLine(&rest)
      if field.isEmpty { break }
      let (name, value) = try Self.field(field)
      headers.append(name, value)
    }
    try Self.checkHost(&headers, of: line)
    framing = try BodyFraming(headers, isOld: isOld)
    let connection = headers.words(of: "connection")
    keepsOpen = !connection.contains("close") && (!isOld || connection.contains("keep-alive"))
    awaitsInvitation = !isOld && headers["expect"]?.lowercased() == "100-continue"
    request = HTTP1Request(method: line.method, path: line.path, query: line.query, headers: headers)
  }

  private static func nextLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let feed = rest.firstIndex(of: .lineFeed) else { return [] }
    defer { rest = rest[(feed + 1)...] }
    return rest[..<(feed - 1)]
  }

  private static func field(_ line: ArraySlice<UInt8>) throws(MalformedRequest) -> (String, String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(\.isTokenCharacter)
    else {
      // This also refuses a line that continues the one before, and a name with a space after it.
      throw MalformedRequest("A header field is a name, a colon directly behind it, and a value on the same line.")
    }
    var value = line[(colon + 1)...]
    guard value.allSatisfy(\.isFieldCharacter) else {
      throw MalformedRequest("A header field has a control character.")
    }
    while value.first?.isBlank == true { value.removeFirst() }
    while value.last?.isBlank == true { value.removeLast() }
    let name = String(unsafeUninitializedCapacity: colon - line.startIndex) { letters in
      for (index, byte) in line[..<colon].enumerated() {
        letters[index] = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
      }
      return colon - line.startIndex
    }
    return (name, String(decoding: value, as: UTF8.self))
  }

  /// If the target is a URL, it names the host.
  private static func checkHost(_ headers: inout HeaderFields, of line: RequestLine) throws(MalformedRequest) {
    let hosts = headers.values(of: "host")
    guard hosts.count == 1 || line.isOld && hosts.isEmpty else {
      throw MalformedRequest("A request has one field Host.")
    }
    guard hosts.allSatisfy({ Authority($0) != nil }) else { throw MalformedRequest("The field Host names no host.") }
    if let host = line.host { headers.replace("host", host) }
    // A server relies on a single value of each of these.
    for name in ["authorization", "apikey", "content-type", "origin"] where headers.values(of: name).count > 1 {
      throw MalformedRequest("A request has one field \(name) at most.")
    }
  }
}

/// The first line of a request.
struct RequestLine {
  let method: String
  /// The path as it was sent, without the query.
  let path: String
  let query: String?
  /// Host and port, if the target is a whole URL.
  let host: String?
  /// Whether it is HTTP/1.0.
  let isOld: Bool

  init(_ line: ArraySlice<UInt8>) throws(MalformedRequest) {
    let parts = line.split(separator: .space, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenCharacter) else {
      throw MalformedRequest("A request begins with its method, its target and HTTP/1.1, with one space between them.")
    }
    method = String(decoding: parts[0], as: UTF8.self)
    isOld = try Self.isOld(parts[2])
    let target = try Target(parts[1], method: method)
    host = target.host
    guard let mark = target.path.firstIndex(of: UInt8(ascii: "?")) else {
      (path, query) = (String(decoding: target.path, as: UTF8.self), nil)
      return
    }
    path = String(decoding: target.path[..<mark], as: UTF8.self)
    query = String(decoding: target.path[(mark + 1)...], as: UTF8.self)
  }

  private static func isOld(_ version: ArraySlice<UInt8>) throws(MalformedRequest) -> Bool {
    let prefix = "HTTP/".utf8
    guard version.count == 8, version.starts(with: prefix), let last = version.last, last.isDigit,
      let major = version.dropFirst(5).first, major.isDigit, version.dropFirst(6).first == UInt8(ascii: ".")
    else { throw MalformedRequest("A request's first line ends in HTTP/1.1.") }
    guard major == UInt8(ascii: "1") else {
      throw MalformedRequest(505, "HTTP_VERSION_NOT_SUPPORTED", "The version of HTTP here is 1.1.")
    }
    return last == UInt8(ascii: "0")
  }

  /// A path, or a URL, which is for proxies but which servers must accept.
  ///
  /// `OPTIONS` may have `*`.
  private struct Target {
    var path: ArraySlice<UInt8>
    var host: String?

    init(_ target: ArraySlice<UInt8>, method: String) throws(MalformedRequest) {
      guard target.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }), method != "CONNECT" else {
        throw Self.malformed
      }
      path = target
      if target.first == UInt8(ascii: "/") || target.elementsEqual("*".utf8) && method == "OPTIONS" { return }
      let text = String(decoding: target, as: UTF8.self).lowercased()
      guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { throw Self.malformed }
      let rest = target.dropFirst(scheme.utf8.count)
      let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
      let host = String(decoding: rest[..<end], as: UTF8.self)
      guard let authority = Authority(host), !authority.host.isEmpty else { throw Self.malformed }
      self.host = host
      path = rest[end...]
      if path.first != UInt8(ascii: "/") { path = [UInt8(ascii: "/")] + path }
    }

    private static let malformed = MalformedRequest("A request's target is a path or an http URL.")
  }
}

/// Puts the head of a request together from the pieces that come.
struct HeadReader {
  /// The largest head that is accepted, in bytes.
  static let largest = 16_384

  private var bytes: [UInt8] = []
  /// Where the request line begins; empty lines before it are skipped.
  private var start = 0
  private var lineStart = 0

  init() {}

  /// Whether a part of a head has come.
  var hasBegun: Bool { bytes.count > start }

  /// Takes bytes that have come.
  ///
  /// - Returns: the head, or `nil` while it is not complete, and how many of these bytes belong to it.
  mutating func take(
    _ piece: UnsafeRawBufferPointer
  ) throws(MalformedRequest) -> (head: RequestHead?, used: Int) {
    let before = bytes.count
    bytes += piece.prefix(start + Self.largest - before)
    if let end = try end(after: before) {
      let head = try RequestHead(bytes[start..<end])
      self = HeadReader()
      return (head, end - before)
    }
    guard start < Self.largest else { throw MalformedRequest("A request begins with its method.") }
    guard bytes.count - start < Self.largest else {
      throw lineStart == start
        ? MalformedRequest(414, "URI_TOO_LONG", "The request line is longer than \(Self.largest) bytes.")
        : MalformedRequest(431, "HEAD_TOO_LARGE", "The header fields are larger than \(Self.largest) bytes.")
    }
    return (nil, bytes.count - before)
  }

  /// Where the head ends: after its empty line.
  private mutating func end(after checked: Int) throws(MalformedRequest) -> Int? {
    var next = checked
    while let feed = bytes[next...].firstIndex(of: .lineFeed) {
      guard feed > lineStart, bytes[feed - 1] == .carriageReturn else {
        throw MalformedRequest("Each line of a request's head ends in CR LF.")
      }
      next = feed + 1
      let isEmpty = feed - 1 == lineStart
      let isFirst = lineStart == start
      lineStart = next
      if isEmpty, !isFirst { return next }
      if isEmpty { start = next }
    }
    // A client of another protocol gets its answer before the end of the line.
    if start < bytes.count, bytes[start] != .carriageReturn, !bytes[start].isTokenCharacter {
      throw MalformedRequest("A request begins with its method.")
    }
    return nil
  }
}

/// Why a request is refused before it is read completely.
///
/// The server cannot know where such a request ends and the next one begins. So the connection ends with the answer.
package struct MalformedRequest: Error, Equatable {
  package let status: Int
  package let code: String
  package let problem: String

  init(_ problem: String) { self.init(400, "BAD_REQUEST", problem) }

  init(_ status: Int, _ code: String, _ problem: String) {
    (self.status, self.code, self.problem) = (status, code, problem)
  }
}

// The kinds of bytes in HTTP.
// Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2
extension UInt8 {
  package static let tab: UInt8 = 0x09
  package static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  package static let space: UInt8 = 0x20

  package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  package var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }

  /// Whether methods and names of fields may have it.
  package var isTokenCharacter: Bool {
    switch self {
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E: true
    default: false
    }
  }

  /// Whether values of fields may have it: NUL, CR and LF may not be in them.
  package var isFieldCharacter: Bool { self >= 0x20 ? self != 0x7F : self == .tab }

  package var isBlank: Bool { self == .space || self == .tab }
}
