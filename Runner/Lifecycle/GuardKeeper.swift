import CLinux
import EventLoop
import Glibc
package import System

/// Keeps a guard beside the runner.
///
/// A new guard knows the same processes as the one before.
@RunnerLoop
package final class GuardKeeper {
  /// The id of this run of the runner, by which its guards know the processes they must end.
  let id = GuardHandle.newID()
  private let project: String?
  private let executable: String
  private(set) var handle: GuardHandle?
  private var descriptor: Int32 = -1
  private let ended = WakeUp()
  private var isEndReported = true
  private var isDismissed = false

  /// Starts the first guard.
  ///
  /// - Parameters:
  ///   - project: The project whose local PostgreSQL the guard stops, `nil` if the database is not the project's own.
  ///   - executable: The runner.
  package init(project: String?, executable: String = "/proc/self/exe") throws(SystemError) {
    (self.project, self.executable) = (project, executable)
    try start()
  }

  /// The entry that every process's environment must carry.
  package var marker: String { Guard.marker(id) }

  /// Waits until the guard has ended.
  ///
  /// It starts one first if the end of the last one was reported.
  package func run() async throws(SystemError) {
    if isEndReported { try start() }
    while handle != nil, !Task.isCancelled { await ended.wait() }
    isEndReported = true
  }

  /// The runner ends normally: the guard ends what is left of its processes and leaves, within two seconds.
  package func dismiss() async {
    guard !isDismissed else { return }
    isDismissed = true
    try? start()
    unwatch()
    let last = handle.take()
    await BlockingThread.run { last?.dismiss() }
  }

  private func start() throws(SystemError) {
    if handle == nil { handle = try GuardHandle.start(id: id, project: project, executable: executable) }
    guard descriptor < 0, let handle else { return }
    descriptor = shim_pidfd_open(handle.process)
    guard descriptor >= 0 else { throw SystemError("watch the guard") }
    RunnerLoop.loop.watch(descriptor, for: .read) { [self] _ in
      unwatch()
      handle.reap()
      (self.handle, isEndReported) = (nil, false)
      ended.signal()
    }
  }

  private func unwatch() {
    guard descriptor >= 0 else { return }
    RunnerLoop.loop.unwatch(descriptor)
    close(descriptor)
    descriptor = -1
  }
}
