import Glibc
import Platform

/// A non-blocking TCP socket, closed with its owner.
struct Socket: ~Copyable {
  let descriptor: Int32

  /// Takes over an open descriptor.
  init(adopting descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// A new socket for that address family; nil when the system has none left or lacks the family.
  init?(family: Int32) {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Gives the descriptor away; the receiver closes it.
  consuming func release() -> Int32 {
    let descriptor = descriptor
    discard self
    return descriptor
  }

  /// Sends small frames at once instead of waiting for an acknowledgement (Nagle).
  func sendWithoutDelay() {
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The outcome of an asynchronous connect: 0 or an `errno`.
  var pendingError: Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno
  }

  /// Starts connecting; 0 when connected or under way, else an `errno`.
  func startConnecting(to address: SocketAddress) -> Int32 {
    let result = address.withPointer { connect(descriptor, $0, $1) }
    return result == 0 || errno == EINPROGRESS ? 0 : errno
  }
}
