import Glibc

/// An IPv4 or IPv6 socket address.
struct SocketAddress: Sendable {
  private var storage = sockaddr_storage()
  private var length: socklen_t

  init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
    self.length = length
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
    }
  }

  /// An address that the system fills in, as by `getsockname`.
  init(_ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Void) {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
    }
    self.length = length
  }

  var family: Int32 { Int32(storage.ss_family) }

  func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

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

extension String {
  /// The characters before the terminating zero.
  init(terminated characters: [CChar]) {
    self.init(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
