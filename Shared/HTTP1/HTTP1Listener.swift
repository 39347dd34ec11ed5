import Glibc

/// A TCP socket that listens on a numeric address.
package struct HTTP1Listener: Sendable {
  package let descriptor: Int32
  package let port: UInt16

  /// Why it cannot listen.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameters:
  ///   - host: an IPv4 or IPv6 address.
  ///   - port: 0 for any free port.
  package init(host: String, port: UInt16) throws(Failure) {
    guard let address = SocketAddress(host: host, port: port) else {
      throw Failure(description: "\(host) is not a numeric address to listen on.")
    }
    let descriptor = address.makeSocket(SOCK_NONBLOCK.rawValue)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard address.with({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 1_024) == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw Failure(description: "Port \(port) of \(host) cannot be listened on: \(reason).")
    }
    (self.descriptor, self.port) = (descriptor, SocketAddress.port(of: descriptor) ?? port)
  }
}

/// A numeric IPv4 or IPv6 address with a port.
///
/// `getaddrinfo` would do, too, but not in a program that loads no libraries.
package struct SocketAddress: Sendable, Equatable {
  private let host: String
  private let portNumber: UInt16
  private let family: Int32

  /// `nil` for a host that is not a numeric address.
  package init?(host: String, port: UInt16) {
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, host, &four) == 1 {
      family = AF_INET
    } else if inet_pton(AF_INET6, host, &six) == 1 {
      family = AF_INET6
    } else {
      return nil
    }
    (self.host, portNumber) = (host, port)
  }

  func makeSocket(_ options: UInt32 = 0) -> Int32 {
    socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | options), 0)
  }

  /// Calls a system call with the address.
  func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if family == AF_INET {
      var address = sockaddr_in()
      (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), portNumber.bigEndian)
      inet_pton(AF_INET, host, &address.sin_addr)
      return Self.rebound(&address, body)
    }
    var address = sockaddr_in6()
    (address.sin6_family, address.sin6_port) = (sa_family_t(AF_INET6), portNumber.bigEndian)
    inet_pton(AF_INET6, host, &address.sin6_addr)
    return Self.rebound(&address, body)
  }

  private static func rebound<Address, Result>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
  }

  static func port(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard result == 0 else { return nil }
    // IPv4 and IPv6 keep the port in the same place.
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
  }
}
