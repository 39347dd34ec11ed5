import FoundationEssentials

/// An HTTP proxy that makes tunnels by `CONNECT` (RFC 9110 §9.3.6).
///
/// It learns to which host the tunnel goes and nothing of what goes through it: TLS is with the target.
public struct Proxy: Sendable, Hashable {
  /// Where the proxy is.
  public let endpoint: Endpoint
  /// The value of `Proxy-Authorization`; never logged.
  let authorization: String?

  /// A proxy, with the user and password that it may ask the client for (RFC 7617).
  public init(_ endpoint: Endpoint, user: String? = nil, password: String = "") {
    self.endpoint = endpoint
    authorization = user.map { "Basic \(Data("\($0):\(password)".utf8).base64EncodedString())" }
  }

  /// Reads `http://[user:password@]host[:port]`, the port being 80 unless given, or `host:port` alone.
  ///
  /// User and password may be percent-encoded; `nil` for anything more or less, TLS to the proxy included.
  public init?(url text: String) {
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
  /// Where the proxy is, without user and password.
  public var description: String { endpoint.description }

  /// The same.
  public var debugDescription: String { description }

  /// The same for `dump` and debuggers.
  public var customMirror: Mirror { Mirror(self, children: ["endpoint": endpoint]) }
}
