import Glibc

/// The state of a file at one moment.
///
/// If the stamp differs later, the file was changed or replaced.
package struct FileStamp: Sendable, Equatable {
  private let device: UInt
  private let inode: UInt
  private let size: Int
  private let mode: UInt32
  private let seconds: Int
  private let nanoseconds: Int

  /// `nil` where there is no file.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode, size, mode) = (status.st_dev, status.st_ino, status.st_size, status.st_mode)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
  }

  /// Whether it can be run.
  ///
  /// A linker sets the executable bit when the file is complete.
  package var isProgram: Bool { mode & S_IFMT == S_IFREG && mode & 0o111 != 0 && size > 0 }
}
