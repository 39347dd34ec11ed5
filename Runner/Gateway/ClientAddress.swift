import Glibc

/// Where a client is: an IPv4 address, or the /64 network of an IPv6 address, which is usually one client's alone.
struct ClientAddress: Hashable, Sendable {
  private var network: UInt64 = 0

  /// Nowhere in particular.
  init() {}

  init(_ address: sockaddr_storage) {
    withUnsafeBytes(of: address) { bytes in
      switch Int32(address.ss_family) {
      case AF_INET: network = UInt64(bytes.load(as: sockaddr_in.self).sin_addr.s_addr)
      case AF_INET6:
        let address = bytes.load(as: sockaddr_in6.self).sin6_addr
        network = withUnsafeBytes(of: address) { Self.network(of: $0) }
      default: break
      }
    }
  }

  /// IPv4 addresses come as `::ffff:a.b.c.d` to a socket that takes both.
  private static func network(of address: UnsafeRawBufferPointer) -> UInt64 {
    let isMapped = address.prefix(10).allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
    return isMapped
      ? UInt64(address.loadUnaligned(fromByteOffset: 12, as: UInt32.self)) : address.loadUnaligned(as: UInt64.self)
  }
}
