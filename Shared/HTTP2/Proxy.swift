import FoundationEssentials

/// An HTTP proxy that makes tunnels by `CONNECT` (RFC 9110 §9.3.6).
///
/// It learns the tunnel's host but nothing of its content, because TLS is with the target.
package struct Proxy: Sendable, Hashable {
  /// The proxy's address.
  package let endpoint: Endpoint
  /// Who the client says it is, where the proxy may ask for that; never logged.
  package let user: String?
  /// The user's password; never logged.
  package let password: String

  /// A proxy, with the user and password that it may ask the client for (RFC 7617).
  package init(_ endpoint: Endpoint, user: String? = nil, password: String = "") {
    (self.endpoint, self.user, self.password) = (endpoint, user, password)
  }

  /// The value of `Proxy-Authorization`; never logged.
  var authorization: String? {
    user.map { "Basic \(Data("\($0):\(password)".utf8).base64EncodedString())" }
  }

  /// Reads `http://[user:password@]host[:port]`, the port being 80 unless given, or `host:port` alone.
  ///
  /// User and password may be percent-encoded; `nil` for any other form, such as TLS to the proxy.
  package init?(url text: String) {
    let url = text.contains("://") ? text : "http://\(text)"
    guard let parts = URLComponents(string: url), parts.scheme?.lowercased() == "http",
      ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, var host = parts.host, !host.isEmpty,
      let port = UInt16(exactly: parts.port ?? 80), port > 0
    else { return nil }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    self.init(Endpoint(host: host, port: port), user: parts.user, password: parts.password ?? "")
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
