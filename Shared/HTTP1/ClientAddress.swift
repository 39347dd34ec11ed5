package import Glibc

/// The address of a client: an IPv4 address, or the /64 network of an IPv6 address, which usually has one client.
package struct ClientAddress: Hashable, Sendable {
  private var network: UInt64 = 0

  /// No address.
  package init() {}

  package init(_ address: sockaddr_storage) {
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

  /// A socket for both kinds gets IPv4 addresses as `::ffff:a.b.c.d`.
  private static func network(of address: UnsafeRawBufferPointer) -> UInt64 {
    let isMapped = address.prefix(10).allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
    return isMapped
      ? UInt64(address.loadUnaligned(fromByteOffset: 12, as: UInt32.self)) : address.loadUnaligned(as: UInt64.self)
  }
}
