import CPostgres
import Glibc
import Synchronization

/// Ends another thread's `poll` from any thread.
final class Signal: Sendable {
  let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
  private let isWoken = Atomic(false)

  deinit {
    close(descriptor)
  }

  /// Makes the descriptor readable until ``lower()``.
  func raise() {
    _ = eventfd_write(descriptor, 1)
  }

  func lower() {
    var count: eventfd_t = 0
    _ = eventfd_read(descriptor, &count)
  }

  /// Leaves a wake-up until a reader takes it.
  func wake() {
    isWoken.store(true, ordering: .sequentiallyConsistent)
    raise()
  }

  func takeWakeUp() -> Bool {
    isWoken.exchange(false, ordering: .sequentiallyConsistent)
  }
}
