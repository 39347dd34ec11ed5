import Glibc
import Platform

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
