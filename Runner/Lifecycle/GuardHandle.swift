import Glibc
import Synchronization
import System

/// The runner's side of its guard.
///
/// While this lives, the guard knows that the runner lives.
final class GuardHandle: Sendable {
  /// The id of this run of the runner, by which the guard knows the processes it must end.
  let id: String

  let process: pid_t

  private let line: Mutex<Int32?>

  /// The entry that every worker's environment must carry.
  var marker: String { Guard.marker(id) }

  /// An id that no other run has.
  static func newID() -> String { String(UInt64.random(in: UInt64.min...UInt64.max), radix: 36) }

  /// Starts the guard.
  ///
  /// - Parameters:
  ///   - id: The run that it guards.
  ///   - project: The project whose local PostgreSQL the guard stops, `nil` if the database is not the project's own.
  ///   - executable: The runner.
  static func start(
    id: String = newID(), project: String?, executable: String = "/proc/self/exe"
  ) throws(SystemError) -> GuardHandle {
    var ends: [Int32] = [-1, -1]
    // Not a pipe: writing to one whose reader is gone raises SIGPIPE.
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SystemError("socketpair")
    }
    defer { close(ends[1]) }
    let order = GuardOrder(id: id, project: project)
    do throws(SystemError) {
      let process = try SessionProcess.start([executable] + order.arguments, input: ends[1])
      return GuardHandle(id: id, process: process, line: ends[0])
    } catch {
      close(ends[0])
      throw error
    }
  }

  private init(id: String, process: pid_t, line: Int32) {
    self.id = id
    self.process = process
    self.line = Mutex(line)
  }

  /// Tells the guard that the workers have ended and PostgreSQL needs nothing more.
  ///
  /// The guard ends what is left, and then itself.
  func dismiss() {
    line.withLock { line in
      guard let end = line.take() else { return }
      defer { close(end) }
      var goodbye = Guard.goodbye
      guard send(end, &goodbye, 1, Int32(MSG_NOSIGNAL)) == 1 else { return reap(blocking: false) }
      var waiting = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
      reap(blocking: poll(&waiting, 1, 3000) == 1)
    }
  }

  /// Takes the status of a guard that has ended.
  func reap() { reap(blocking: true) }

  private func reap(blocking: Bool) {
    _ = waitpid(process, nil, blocking ? 0 : WNOHANG)
  }

  deinit {
    if let end = line.withLock({ $0.take() }) { close(end) }
  }
}
