import CLinux
import Glibc
import Synchronization

/// Turns SIGTERM into something that `poll` sees, so that a process can finish its present event.
enum TerminationSignal {
  // Written once, before the handler that reads it is installed, and never again.
  private nonisolated(unsafe) static var writeEnd: Int32 = -1
  /// The semaphore that the signal also posts; written once, before the handler is installed.
  nonisolated(unsafe) static var semaphore: UnsafeMutablePointer<sem_t>?

  private static let arrived = Atomic(false)

  /// Whether the process was told to end.
  static var hasArrived: Bool { arrived.load(ordering: .acquiring) }

  /// Becomes readable when SIGTERM arrives.
  ///
  /// From now on the signal itself does not end the process.
  ///
  /// Call this once in a process.
  static func descriptor() -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { return -1 }
    writeEnd = ends[1]
    install()
    return ends[0]
  }

  /// Takes the signal.
  ///
  /// From now on it does not end the process by itself.
  static func install() {
    // It is read here, before the handler can be called, because a handler must not initialize it.
    guard !hasArrived else { return }
    signal(SIGTERM) { _ in
      TerminationSignal.arrived.store(true, ordering: .releasing)
      var byte: UInt8 = 0
      _ = Glibc.write(TerminationSignal.writeEnd, &byte, 1)
      if let semaphore = TerminationSignal.semaphore { sem_post(semaphore) }
    }
    // The parent may have blocked the signal, as threads of thread pools do.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
