import Glibc

/// Turns SIGTERM into something that `poll` sees, so that a process can finish the event in hand.
enum TerminationSignal {
  // Written once, before the handler that reads it is installed, and never again.
  private nonisolated(unsafe) static var writeEnd: Int32 = -1

  /// Becomes readable when SIGTERM arrives; from now on the signal itself ends nothing.
  ///
  /// Call once a process.
  static func descriptor() -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return -1 }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    writeEnd = ends[1]
    signal(SIGTERM) { _ in
      var byte: UInt8 = 0
      _ = Glibc.write(TerminationSignal.writeEnd, &byte, 1)
    }
    // A parent may have started this process with the signal blocked, as threads of thread pools do.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    return ends[0]
  }
}
