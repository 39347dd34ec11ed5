import Glibc
import Platform

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

extension SocketAddress {
  /// The numeric host and port.
  var endpoint: Endpoint {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    _ = withPointer { pointer, length in
      getnameinfo(
        pointer, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
        NI_NUMERICHOST | NI_NUMERICSERV)
    }
    return Endpoint(host: String(terminated: host), port: UInt16(String(terminated: service)) ?? 0)
  }

  /// Every address of the endpoint, in the order of RFC 6724; blocks, unless the host is numeric.
  static func resolve(_ endpoint: Endpoint, listening: Bool = false) throws(HTTP2Error) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | (endpoint.isNumeric ? AI_NUMERICHOST : 0) | (listening ? AI_PASSIVE : 0)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list)
    guard result == 0 else {
      throw .unresolved(host: endpoint.host, reason: String(cString: gai_strerror(result)))
    }
    defer { freeaddrinfo(list) }
    return sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }.compactMap { entry in
      guard let entry, let address = entry.pointee.ai_addr else { return nil }
      return SocketAddress(address, length: entry.pointee.ai_addrlen)
    }
  }
}
