import Glibc

/// Two connected stream sockets, closed together.
struct SocketPair: ~Copyable {
  let near: Int32
  let far: Int32

  init() {
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let result = socketpair(AF_UNIX, kind, 0, &pair)
    precondition(result == 0, "no socket pair: errno \(errno)")
    near = pair[0]
    far = pair[1]
  }

  deinit {
    close(near)
    close(far)
  }

  /// Makes `near` readable.
  func ring() {
    var byte: UInt8 = 1
    _ = write(far, &byte, 1)
  }

  func endSending() {
    shutdown(far, Int32(SHUT_WR))
  }
}

/// A socket pair that closures can share.
final class SocketPairBox: Sendable {
  let sockets = SocketPair()
}
