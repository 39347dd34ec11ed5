/// The head of a request: its first line and its fields, in strict RFC 9112.
///
/// A head that a proxy before the server could read in another way is refused. So no client can hide a request in the
/// body of another one.
/// Source: https://www.rfc-editor.org/rfc/rfc9112
package struct RequestHead: Sendable {
  package var request: HTTP1Request
  package private(set) var framing: BodyFraming
  /// Whether the client may send another request after this one.
  package private(set) var keepsOpen: Bool
  /// Whether the client waits to be asked for the body.
  package private(set) var awaitsInvitation: Bool
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
