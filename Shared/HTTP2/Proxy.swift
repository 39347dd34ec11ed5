import Formats
import FoundationEssentials

/// An HTTP proxy that makes tunnels by `CONNECT` (RFC 9110 §9.3.6).
///
/// It learns the tunnel's host but nothing of its content, because TLS is with the target.
package struct Proxy: Sendable, Hashable {
  /// The proxy's address.
  package let endpoint: Endpoint
  /// The value of `Proxy-Authorization`, where the proxy may ask who the client is; never logged.
  package let authorization: String?

  /// A proxy that asks nobody for a password.
  package init(_ endpoint: Endpoint) {
    (self.endpoint, authorization) = (endpoint, nil)
  }

  /// A proxy, with the user and password that it may ask the client for (RFC 7617).
  package init(_ endpoint: Endpoint, user: some Sequence<UInt8>, password: some Sequence<UInt8>) {
    self.endpoint = endpoint
    authorization = "Basic \(Data(Array(user) + [UInt8(ascii: ":")] + Array(password)).base64EncodedString())"
  }

  /// The form of a text that ``init(url:)`` can read.
  package static let form =
    "must be http://[user:password@]host:port, with special characters of user and password percent-encoded"

  /// Reads `http://[user:password@]host[:port]`, the port being 80 unless given, or the same without `http://`.
  ///
  /// User and password may be percent-encoded, and stand for any bytes; a user has no colon (RFC 7617 §2). `nil` for any
  /// other form, such as TLS to the proxy.
  package init?(url text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    var rest = text[...]
    if let scheme = rest.firstRange(of: "://") {
      guard rest[..<scheme.lowerBound].lowercased() == "http" else { return nil }
      rest = rest[scheme.upperBound...]
    }
    let authority = rest.prefix { !"/?#".contains($0) }
    guard ["", "/"].contains(rest[authority.endIndex...]) else { return nil }
    guard let at = authority.lastIndex(of: "@") else {
      guard let endpoint = Endpoint(authority: authority) else { return nil }
      self.init(endpoint)
      return
    }
    let words = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let endpoint = Endpoint(authority: authority[authority.index(after: at)...]),
      let user = PercentEncoding.strictlyDecoded(Array(words[0].utf8)), !user.contains(UInt8(ascii: ":")),
      let password = words.count > 1 ? PercentEncoding.strictlyDecoded(Array(words[1].utf8)) : []
    else { return nil }
    self.init(endpoint, user: user, password: password)
  }

  /// The proxy of the usual variables: `https_proxy` or `HTTPS_PROXY`.
  ///
  /// It is `nil` if `no_proxy` or `NO_PROXY` names the host. If both spellings are set, the lower-case one counts.
  /// This machine itself never needs a proxy.
  ///
  /// - Parameter value: reads a variable; `nil` or empty if it is not set.
  /// - Throws: ``HTTP2Error/unusableProxy(reason:)``, so that no request goes without the proxy that it should use.
  package static func environment(
    for endpoint: Endpoint, _ value: (String) -> String?
  ) throws(HTTP2Error) -> Proxy? {
    func read(_ name: String) -> String? {
      [name, name.uppercased()].compactMap(value).first { !$0.isEmpty }
    }
    guard let text = read("https_proxy"), !endpoint.isThisMachine else { return nil }
    guard try !NoProxyList(read("no_proxy") ?? "").contains(endpoint) else { return nil }
    guard let proxy = Proxy(url: text) else {
      throw .unusableProxy(reason: "HTTPS_PROXY \(Proxy.form)")
    }
    return proxy
  }
}

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The proxy's address without user and password.
  package var description: String { endpoint.description }

  /// The same, so that no password is shown.
  package var debugDescription: String { description }

  /// The same for `dump` and debuggers.
  package var customMirror: Mirror { Mirror(self, children: ["endpoint": endpoint]) }
}

extension Endpoint {
  /// Reads `host[:port]`, the host being a name or an address, an IPv6 address in brackets.
  fileprivate init?(authority: Substring) {
    let (host, rest): (Substring, Substring)
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      (host, rest) = (authority[..<end].dropFirst(), authority[end...].dropFirst())
      guard Endpoint(host: String(host), port: 0).address?.count == 16 else { return nil }
    } else {
      host = authority.prefix { $0 != ":" }
      rest = authority[host.endIndex...]
      guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }) else { return nil }
    }
    guard rest.isEmpty || rest.first == ":", let port = rest.isEmpty ? 80 : UInt16(portNumber: rest.dropFirst())
    else { return nil }
    self.init(host: String(host), port: port)
  }
}

extension UInt16 {
  /// The number of a port that a client can connect to; `nil` for any other text.
  init?(portNumber text: Substring) {
    // `UInt16(_:)` also accepts a sign.
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(text), number > 0 else {
      return nil
    }
    self = number
  }
}

extension Endpoint {
  fileprivate var isThisMachine: Bool {
    let host = host.lowercased()
    return host == "localhost" || host == "::1" || host.hasPrefix("127.") && isNumeric
  }
}
