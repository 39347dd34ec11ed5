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
