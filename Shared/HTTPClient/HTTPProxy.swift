/// The proxy of a client's calls; a call that stays on this machine uses none.
package enum HTTPProxy: Sendable {
  /// The proxy of the environment's variables, as libcurl reads them.
  case environment
  /// No proxy, whatever the environment says.
  case direct
  /// This one, whatever the environment says; a call by TLS asks it for a tunnel.
  ///
  /// The host of an IPv6 address has no brackets. The value of `Proxy-Authorization` is never logged.
  case server(host: String, port: UInt16, authorization: String?)
}

extension HTTPProxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Without user and password.
  package var description: String {
    switch self {
    case .environment: "the environment's"
    case .direct: "none"
    case .server(let host, let port, _):
      host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }

  /// The same, so that no password is shown.
  package var debugDescription: String { description }

  /// The same for `dump` and debuggers.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
