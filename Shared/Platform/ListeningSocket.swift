import CLinux
import Glibc

/// A non-blocking TCP socket that listens.
///
/// Its owner closes the descriptor.
package struct ListeningSocket: Sendable {
  package let descriptor: Int32
  /// Where it listens, with the port that the system has chosen if 0 was asked for.
  package let address: SocketAddress

  /// - Parameter backlog: how many connections may wait until they are accepted.
  /// - Returns: `nil` if it cannot listen, and `errno` says why.
  package init?(on address: SocketAddress, backlog: Int32 = 1_024) {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.family, kind, 0)
    guard descriptor >= 0 else { return nil }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0 else {
      let reason = errno
      close(descriptor)
      errno = reason
      return nil
    }
    self.descriptor = descriptor
    self.address = SocketAddress { getsockname(descriptor, $0, $1) }
  }

  package var port: UInt16 { address.port }

  /// The next connection, non-blocking, and whose it is; `nil` if there is none, and `errno` says why.
  package func accept() -> (descriptor: Int32, peer: SocketAddress)? {
    var accepted: Int32 = -1
    let peer = SocketAddress {
      accepted = accept4(descriptor, $0, $1, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
    }
    return accepted < 0 ? nil : (accepted, peer)
  }
}
