package import Glibc

/// An IPv4 or IPv6 address with a port, as the system's calls take it.
package struct SocketAddress: Sendable {
  package private(set) var storage = sockaddr_storage()
  private var length: socklen_t

  /// - Parameter host: a numeric address, one of IPv6 without brackets; `nil` for any other text.
  package init?(host: String, port: UInt16) {
    let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var (four, six) = (sockaddr_in(), sockaddr_in6())
    if inet_pton(AF_INET, host, &four.sin_addr) == 1 {
      (four.sin_family, four.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, as: sockaddr_in.self) }
    } else if inet_pton(AF_INET6, parts[0], &six.sin6_addr) == 1 {
      (six.sin6_family, six.sin6_port) = (sa_family_t(AF_INET6), port.bigEndian)
      // An address of one link only is followed by the link: `fe80::1%eth0`.
      six.sin6_scope_id = parts.count > 1 ? if_nametoindex(parts[1]) : 0
      length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: six, as: sockaddr_in6.self) }
    } else {
      return nil
    }
  }

  /// An address that a call of the system has given.
  package init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
    self.length = length
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
    }
  }

  /// An address that a call of the system fills in, as by `getsockname`.
  package init(_ fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Void) {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
    }
    self.length = length
  }

  /// `AF_INET` or `AF_INET6`.
  package var family: Int32 { Int32(storage.ss_family) }

  /// The port, which both families keep in the same place.
  package var port: UInt16 {
    withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
  }

  /// Calls the system with the address.
  package func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}

extension SocketAddress: Equatable {
  package static func == (one: SocketAddress, other: SocketAddress) -> Bool {
    one.length == other.length
      && withUnsafeBytes(of: one.storage) { one in withUnsafeBytes(of: other.storage) { one.elementsEqual($0) } }
  }
}
