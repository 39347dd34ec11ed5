import Glibc

/// The address of a server.
package struct Endpoint: Sendable, Hashable {
  /// A host name or a numeric address; an IPv6 address without brackets.
  package let host: String
  /// The TCP port; 0 lets the system choose one for a server.
  package let port: UInt16

  /// A host and a port.
  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}

extension Endpoint: CustomStringConvertible {
  /// `host:port`, as in a URL.
  package var description: String {
    host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

extension Endpoint {
  /// Whether the host is a numeric address.
  ///
  /// It then needs no resolver and must be among a certificate's IP names.
  var isNumeric: Bool { address != nil }

  /// The bytes of a numeric address, four or sixteen; `nil` for a name.
  var address: [UInt8]? {
    var storage = in6_addr()
    let count = inet_pton(AF_INET, host, &storage) == 1 ? 4 : inet_pton(AF_INET6, host, &storage) == 1 ? 16 : 0
    return count == 0 ? nil : withUnsafeBytes(of: storage) { Array($0.prefix(count)) }
  }
}
