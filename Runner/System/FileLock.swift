import Glibc

/// A lock on a file (`flock(2)`).
///
/// The kernel releases it when its holder ends in any way.
package final class FileLock: Sendable {
  package enum Mode: Sendable { case shared, exclusive }

  private let descriptor: Int32

  /// Opens the file, and creates it if it is missing; locks nothing yet.
  package init(_ path: String) throws(SystemError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemError("open \(path)") }
  }

  /// Takes the lock, or changes it to this mode, without waiting.
  ///
  /// If a change fails, the lock that was held is lost, because the kernel removes it first.
  package func take(_ mode: Mode) -> Bool {
    flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0
  }

  /// Writes into the file who holds it, for people.
  package func write(_ text: String) {
    _ = ftruncate(descriptor, 0)
    _ = Array(text.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  /// Whether a process holds the lock of a file.
  ///
  /// The file may be missing.
  package static func isHeld(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Releases the lock.
  package func release() {
    _ = flock(descriptor, LOCK_UN)
  }

  deinit { close(descriptor) }
}
