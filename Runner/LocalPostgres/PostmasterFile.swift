/// The lines that a server writes into `postmaster.pid` (PostgreSQL's miscinit.h, "LOCK_FILE_LINE_…").
struct PostmasterFile: Equatable {
  let process: Int32
  let socketDirectory: String
  let isReady: Bool

  /// Reads the file's text; `nil` if it is not such a file, or not complete yet.
  init?(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first, let process = Int32(first), process > 0 else { return nil }
    self.process = process
    socketDirectory = lines.count > 4 ? String(lines[4]) : ""
    isReady = lines.count > 7 && lines[7].hasPrefix("ready")
  }
}
