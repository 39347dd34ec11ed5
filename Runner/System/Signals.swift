import CLinux
import EventLoop
import Glibc

/// Turns SIGINT, SIGTERM and SIGHUP into a call on the loop.
package enum Signals {
  // Written once, before the handlers that read it are installed, and never again.
  private nonisolated(unsafe) static var writeEnd: Int32 = -1

  /// Calls back for each signal that asks the runner to end.
  ///
  /// Call once a process.
  @RunnerLoop
  package static func watch(_ body: @escaping @RunnerLoop () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { return }
    writeEnd = ends[1]
    // The runner's parent may have blocked them, as threads of thread pools do.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, received)
      sigaddset(&signals, number)
    }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    let readEnd = ends[0]
    RunnerLoop.loop.watch(readEnd, for: .read) { _ in
      var bytes = [UInt8](repeating: 0, count: 16)
      if read(readEnd, &bytes, bytes.count) > 0 { body() }
    }
  }

  // It runs on any thread. A closure written above would belong to the loop, and the runtime would refuse it here.
  private static let received: @convention(c) (Int32) -> Void = { _ in
    var byte: UInt8 = 0
    _ = Glibc.write(writeEnd, &byte, 1)
  }
}
