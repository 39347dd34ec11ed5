import CLinux
import EventLoop
import Glibc
import System

/// Waits for the end of a process without blocking the loop, and without looking again and again.
@RunnerLoop
enum ProcessEnd {
  /// The wait where the kernel does not report ends, or no descriptor is left.
  private static let pause = Duration.seconds(1)

  /// Waits until a process has ended, which may be anybody's; a cancelled task waits no longer.
  ///
  /// It may return early: ask whether the process is still there. One that was not reaped counts as ended.
  static func reached(by process: pid_t) async {
    let descriptor = shim_pidfd_open(process)
    guard descriptor >= 0 else {
      if errno != ESRCH { try? await Task.sleep(for: pause) }
      return
    }
    let ended = WakeUp()
    RunnerLoop.loop.watch(descriptor, for: .read) { _ in
      RunnerLoop.loop.unwatch(descriptor)
      ended.signal()
    }
    await ended.wait()
    RunnerLoop.loop.unwatch(descriptor)
    close(descriptor)
  }

  /// Waits until a child process has ended, and returns its status; a cancelled task waits, too.
  ///
  /// - Returns: its exit status, or 128 and the number of the signal that ended it.
  static func status(of process: pid_t) async -> Int32 {
    // In a task that nobody cancels: it would look again and again until the process has ended.
    let end = Task { await reached(by: process) }
    await end.value
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 { await WakeUp().wait(upTo: .milliseconds(10)) }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
  }
}
