/// Notices when files were changed and have rested since.
///
/// Files that are absent or incomplete are left out by the asker: one that comes back counts when it is there again.
package struct FileWatch {
  /// How often it should be asked.
  package static let interval = Duration.milliseconds(250)
  /// How long nothing may change until a change counts.
  package static let quiet = Duration.milliseconds(500)

  private var known: [String: FileStamp]
  private var last: [String: FileStamp]
  private var changedAt: ContinuousClock.Instant?

  /// - Parameter files: what the files are when whatever depends on them is read.
  package init(_ files: [String: FileStamp]) {
    (known, last) = (files, files)
  }

  /// Whether a file is another one than when this was last `true`, and all have rested.
  ///
  /// A file seen for the first time is no change.
  package mutating func look(_ files: [String: FileStamp], at now: ContinuousClock.Instant) -> Bool {
    if files != last { (last, changedAt) = (files, now) }
    guard let restless = changedAt, now - restless >= Self.quiet else { return false }
    changedAt = nil
    defer { known.merge(files) { $1 } }
    return files.contains { path, stamp in known[path].map { $0 != stamp } ?? false }
  }
}
