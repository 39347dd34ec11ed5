package import Glibc
import Platform

/// An address of IPv6, or one of IPv4 as `::ffff:a.b.c.d`.
package struct IPAddress: Hashable, Sendable {
  /// The network's half.
  package let high: UInt64
  package let low: UInt64

  init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// Reads a numeric address without port and brackets; `nil` for other text.
  package init?(_ text: some StringProtocol) {
    var (four, six) = (in_addr(), in6_addr())
    let text = String(text)
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(four)
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      self.init(six)
    } else {
      return nil
    }
  }

  /// The address of a socket; `nil` for another family.
  package init?(_ address: sockaddr_storage) {
    let own: IPAddress? = withUnsafeBytes(of: address) { bytes in
      switch Int32(address.ss_family) {
      case AF_INET: IPAddress(bytes.load(as: sockaddr_in.self).sin_addr)
      case AF_INET6: IPAddress(bytes.load(as: sockaddr_in6.self).sin6_addr)
      default: nil
      }
    }
    guard let own else { return nil }
    self = own
  }

  private init(_ address: in_addr) {
    self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: address.s_addr)))
  }

  private init(_ address: in6_addr) {
    let halves = withUnsafeBytes(of: address) { bytes in
      [0, 8].map { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)) }
    }
    self.init(high: halves[0], low: halves[1])
  }

  /// Whether it is one of IPv4.
  var isMapped: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// The address as it is usually written.
  var text: String {
    if isMapped { return (0..<4).map { "\(low >> UInt64(24 - 8 * $0) & 0xFF)" }.joined(separator: ".") }
    var bytes = in6_addr()
    withUnsafeMutableBytes(of: &bytes) { bytes in
      bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
      bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count))
    return String(terminated: text)
  }
}

/// A network, such as `10.0.0.0/8`; an address alone is a network of one.
package struct IPNetwork: Sendable, Equatable {
  private let address: IPAddress
  /// The length of the prefix, of 128 bits.
  private let length: Int

  /// Reads `ADDRESS` or `ADDRESS/LENGTH`; `nil` for other text, and for all addresses of a family.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(first) else { return nil }
    self.address = address
    guard parts.count == 2 else {
      length = 128
      return
    }
    let most = address.isMapped ? 32 : 128
    guard parts[1].utf8.allSatisfy(\.isDigit), let number = Int(parts[1]), 1...most ~= number else { return nil }
    length = number + 128 - most
  }

  package func contains(_ other: IPAddress) -> Bool {
    guard length >= 64 else { return (address.high ^ other.high) >> UInt64(64 - length) == 0 }
    return address.high == other.high && (length == 64 || (address.low ^ other.low) >> UInt64(128 - length) == 0)
  }
}

/// The address of a client: an IPv4 address, or the /64 network of an IPv6 address, which usually has one client.
package struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
  private var address: IPAddress?

  /// No address.
  package init() {}

  package init(_ address: IPAddress?) {
    self.address = address.map { $0.isMapped ? $0 : IPAddress(high: $0.high, low: 0) }
  }

  /// Whether it is this machine: `127.0.0.0/8`, or the network of `::1`, in which nobody else is.
  package var isLoopback: Bool {
    guard let address else { return false }
    return address.isMapped ? address.low >> 24 & 0xFF == 127 : address.high == 0
  }

  /// The address, or the network with its length; empty without an address.
  package var description: String { address.map { $0.isMapped ? $0.text : "\($0.text)/64" } ?? "" }
}
