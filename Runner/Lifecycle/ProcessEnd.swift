import CLinux
import EventLoop
import Glibc
import System

/// Waits for a child process without blocking the loop.
@RunnerLoop
enum ProcessEnd {
  /// Waits until it has ended, and returns its status.
  ///
  /// - Returns: its exit status, or 128 and the number of the signal that ended it.
  static func status(of process: pid_t) async -> Int32 {
    let descriptor = shim_pidfd_open(process)
    if descriptor >= 0 {
      await withCheckedContinuation { done in
        RunnerLoop.loop.watch(descriptor, for: .read) { _ in
          RunnerLoop.loop.unwatch(descriptor)
          done.resume()
        }
      }
      close(descriptor)
    }
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 { await WakeUp().wait(upTo: .milliseconds(10)) }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
  }
}
