import FunctionKit
import Glibc

/// Keeps a second emulator out of a directory.
///
/// The lock ends with the process.
struct DirectoryLock: Sendable {
  /// The time that an emulator may need to end after its runner was killed, on a busy machine.
  private static let timeLimit = Duration.seconds(5)

  private let descriptor: Int32

  init(_ path: String) async throws(FunctionError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FunctionError.system("open", path, errno) }
    let end = ContinuousClock.now + Self.timeLimit
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard ContinuousClock.now < end else {
        close(descriptor)
        throw FunctionError(.misconfigured, "Another push emulator is using \(path).")
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  func release() {
    // A child that was forked but has not started its program yet would keep the lock if it was only closed.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
