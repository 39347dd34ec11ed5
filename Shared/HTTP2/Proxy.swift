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
}

extension Proxy: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The proxy's address without user and password.
  package var description: String { endpoint.description }

  /// The same, so that no password is shown.
  package var debugDescription: String { description }

  /// The same for `dump` and debuggers.
  package var customMirror: Mirror { Mirror(self, children: ["endpoint": endpoint]) }
}
