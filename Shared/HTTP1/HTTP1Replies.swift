import CLinux
import Glibc
import Synchronization

/// The answer to one request, which any thread may give, once.
package struct HTTP1Reply: Sendable {
  let connection: Int
  let replies: HTTP1Replies

  /// Gives the answer.
  package func callAsFunction(_ answer: HTTP1Answer) { replies.add(answer, for: connection) }
}

/// The answers that are to be sent by the server's thread, and what wakes it.
final class HTTP1Replies: Sendable {
  /// Readable when there is an answer.
  let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
  private let waiting = Mutex<[(connection: Int, answer: HTTP1Answer)]>([])

  deinit { close(descriptor) }

  func add(_ answer: HTTP1Answer, for connection: Int) {
    waiting.withLock { $0.append((connection, answer)) }
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  func take() -> [(connection: Int, answer: HTTP1Answer)] {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
    return waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
