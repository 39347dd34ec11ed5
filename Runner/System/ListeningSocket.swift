import CLinux
import Glibc

/// Why the gateway cannot listen.
package struct ListenError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// A TCP socket that listens on a numeric address.
package struct ListeningSocket {
  package let descriptor: Int32
  package let port: UInt16

  package static func open(host: String, port: UInt16) throws(ListenError) -> ListeningSocket {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found else {
      throw ListenError("\(host) is not a numeric address to listen on.")
    }
    defer { freeaddrinfo(found) }
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.pointee.ai_family, kind, 0)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0, listen(descriptor, 4_096) == 0
    else {
      let (reason, isTaken) = (String(cString: strerror(errno)), errno == EADDRINUSE)
      close(descriptor)
      let holder = isTaken ? PortHolder.find(port).map { " by \($0)" } ?? "" : ""
      throw ListenError(
        "The runner cannot listen on port \(port) of \(host): \(reason)\(holder)."
          + (isTaken ? " Choose another with --port N; 0 takes a free one." : ""))
    }
    return ListeningSocket(descriptor: descriptor, port: boundPort(of: descriptor) ?? port)
  }

  private static func boundPort(of descriptor: Int32) -> UInt16? {
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
