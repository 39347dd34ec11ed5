import Glibc

/// Keeps a second emulator out of a directory; ends with the process, however that ends.
struct DirectoryLock: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws(EmulatorError) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("open", path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .configuration("Another push emulator is using \(path).")
    }
  }

  /// Lets others in.
  func release() {
    // Closing alone would leave the lock to a child that has been forked and not yet executed its program.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
