import CLinux
import EventLoop
import FunctionKit
import Glibc
import System

/// Keeps a guard beside the runner: one that ends is started again, and knows the same processes.
@RunnerLoop
final class Watchman {
  /// A guard that lived less than that is followed by the next one only after ``pause``.
  static let least = Duration.seconds(5)
  static let pause = Duration.seconds(1)

  /// The id of this run of the runner, by which its guards know the processes they must end.
  let id = GuardHandle.newID()
  private let project: String?
  private let executable: String
  private let log: Log
  private(set) var handle: GuardHandle?
  private var descriptor: Int32 = -1
  private var started = ContinuousClock.now
  private var next: TimerID?
  private var isDismissed = false

  /// Starts the first guard.
  ///
  /// - Parameters:
  ///   - project: The project whose local PostgreSQL the guard stops, `nil` where the database is another's.
  ///   - executable: The runner.
  init(project: String?, executable: String = "/proc/self/exe", log: Log) throws(SystemError) {
    (self.project, self.executable, self.log) = (project, executable, log)
    try start()
  }

  /// The entry that every process's environment must carry.
  var marker: String { Guard.marker(id) }

  /// The runner ends normally: the guard ends what is left of its processes and leaves, within two seconds.
  func dismiss() {
    guard !isDismissed else { return }
    isDismissed = true
    if let next { RunnerLoop.loop.cancel(next) }
    if handle == nil { try? start() }
    unwatch()
    handle?.dismiss()
    handle = nil
  }

  private func start() throws(SystemError) {
    let handle = try GuardHandle.start(id: id, project: project, executable: executable)
    (self.handle, started) = (handle, .now)
    descriptor = shim_pidfd_open(handle.process)
    guard descriptor >= 0 else { return log.error("The guard cannot be watched", ["errno": "\(errno)"]) }
    RunnerLoop.loop.watch(descriptor, for: .read) { [self] _ in ended() }
  }

  private func unwatch() {
    guard descriptor >= 0 else { return }
    RunnerLoop.loop.unwatch(descriptor)
    close(descriptor)
    descriptor = -1
  }

  private func ended() {
    unwatch()
    handle?.reap()
    handle = nil
    log.error("The guard has ended and is started again")
    if .now - started < Self.least { startLater() } else { startAgain() }
  }

  private func startAgain() {
    do { try start() } catch {
      log.error("The guard could not be started", ["error.cause": "\(error)"])
      startLater()
    }
  }

  private func startLater() {
    next = RunnerLoop.loop.schedule(after: Self.pause) { [self] in
      next = nil
      startAgain()
    }
  }
}
