import Glibc

/// Keeps a second emulator out of a directory; ends with the process, however that ends.
package struct DirectoryLock: Sendable {
  /// How long one may take to end whose runner was killed, on a busy machine.
  private static let patience = Duration.seconds(5)

  private let descriptor: Int32

  package init(_ path: String) async throws(EmulatorError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("open", path, errno) }
    let end = ContinuousClock.now + Self.patience
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard ContinuousClock.now < end else {
        close(descriptor)
        throw .configuration("Another push emulator is using \(path).")
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Lets others in.
  package func release() {
    // Closing alone would leave the lock to a child that has been forked and not yet executed its program.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
