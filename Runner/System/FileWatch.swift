import Glibc

/// Notices that files have changed and have not changed again for a while.
///
/// The caller leaves out files that are missing or incomplete. A file that comes back counts when it is there again.
package struct FileWatch {
  /// How often the caller should look.
  package static let interval = Duration.milliseconds(250)
  /// A change counts when nothing has changed for this long.
  package static let quiet = Duration.milliseconds(500)

  private var known: [String: FileStamp]
  private var last: [String: FileStamp]
  private var changedAt: ContinuousClock.Instant?

  /// - Parameter files: the state of the files when their content is read.
  package init(_ files: [String: FileStamp]) {
    (known, last) = (files, files)
  }

  /// Whether a file has changed since this was last `true`, and all files are quiet now.
  ///
  /// A file that is seen for the first time is no change.
  package mutating func look(_ files: [String: FileStamp], at now: ContinuousClock.Instant) -> Bool {
    if files != last { (last, changedAt) = (files, now) }
    guard let restless = changedAt, now - restless >= Self.quiet else { return false }
    changedAt = nil
    defer { known.merge(files) { $1 } }
    return files.contains { path, stamp in known[path].map { $0 != stamp } ?? false }
  }
}

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

/// The file that a path leads to; two paths may lead to one file.
package struct FileIdentity: Equatable {
  let device: dev_t
  let inode: ino_t

  package init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    (device, inode) = (facts.st_dev, facts.st_ino)
  }

  /// The identity as it is written into a file.
  package var text: String { "\(device):\(inode)" }
}
