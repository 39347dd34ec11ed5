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
