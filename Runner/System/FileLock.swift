import Glibc

/// A lock on a file that the kernel gives up by itself when its holder ends, however it ends (`flock(2)`).
package final class FileLock: Sendable {
  package enum Mode: Sendable { case shared, exclusive }

  private let descriptor: Int32

  /// Opens the file, made when missing; nothing is locked yet.
  package init(_ path: String) throws(SystemError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemError("open \(path)") }
  }

  /// Takes the lock, or changes it to this mode, without waiting.
  ///
  /// A failed change gives up the lock that was held: the kernel removes the old one first.
  package func take(_ mode: Mode) -> Bool {
    flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0
  }

  /// Writes what the file says of its holder, for people.
  package func write(_ text: String) {
    _ = ftruncate(descriptor, 0)
    _ = Array(text.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  /// Whether somebody holds the lock of a file, which need not be there.
  package static func isHeld(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Gives the lock up.
  package func release() {
    _ = flock(descriptor, LOCK_UN)
  }

  deinit { close(descriptor) }
}
