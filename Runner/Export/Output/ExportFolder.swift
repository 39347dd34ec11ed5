import FunctionKit
import Glibc
import System

/// The folder that an export is written into.
///
/// The file `.runner-export` in it lists the files of the last export with their digests. So an export recognises its own
/// files, and leaves those of others and those that somebody has changed.
package struct ExportFolder: Sendable {
  private static let list = ".runner-export"
  private static let largestFile = 4 << 20

  package let path: String

  package init(_ path: String) {
    self.path = path
  }

  /// The outcome of writing.
  package struct Written: Sendable, Equatable, Encodable {
    package var written: [String] = []
    package var unchanged: [String] = []
    package var removed: [String] = []
  }

  /// Writes the files, and removes those of the last export that are no longer a part of it.
  ///
  /// - Parameter force: whether files are replaced that are not as the last export has written them.
  /// - Throws: ``FunctionError/Code/usage`` before anything is written, if such files are in the way.
  package func write(_ files: [ExportedFile], force: Bool) throws -> Written {
    let last = listed()
    let inTheWay = files.filter { file in
      guard let text = text(of: file.path), text != file.text else { return isBlocked(file.path) }
      return last[file.path]?.contains(digest(text)) != true
    }
    guard force || inTheWay.isEmpty else {
      throw FunctionError(
        .usage,
        "These files in \(path) are not as an export has written them: \(inTheWay.map(\.path).joined(separator: ", ")). "
          + "Nothing was written; --diff shows the differences, --force replaces the files.")
    }
    var result = Written()
    try makeFolders(path, mode: 0o755)
    // Until all is written, both what was there and what comes is this export's: it may end at any line.
    try note(last.flatMap { path, digests in digests.map { (path, $0) } } + files.map { ($0.path, digest($0.text)) })
    for file in files {
      guard text(of: file.path) != file.text else {
        result.unchanged.append(file.path)
        continue
      }
      let place = "\(path)/\(file.path)"
      if let slash = file.path.lastIndex(of: "/") { try makeFolders("\(path)/\(file.path[..<slash])", mode: 0o755) }
      try TextFile.replace(place, with: file.text)
      chmod(place, file.path.hasSuffix(".sh") ? 0o755 : 0o644)
      result.written.append(file.path)
    }
    for gone in gone(files, last) where unlink("\(path)/\(gone)") == 0 { result.removed.append(gone) }
    try note(files.map { ($0.path, digest($0.text)) })
    return result
  }

  private func note(_ files: [(path: String, digest: String)]) throws {
    let lines = files.sorted { ($0.path, $0.digest) < ($1.path, $1.digest) }.map { "\($0.digest)  \($0.path)\n" }
    try TextFile.replace("\(path)/\(Self.list)", with: lines.joined())
  }

  /// A unified diff from what is there to what would be written; empty if nothing would change.
  package func difference(to files: [ExportedFile]) -> String {
    let changed = files.map { UnifiedDiff.text($0.path, from: text(of: $0.path), to: $0.text) }
    let removed = gone(files, listed()).map { UnifiedDiff.text($0, from: text(of: $0), to: nil) }
    return (changed + removed).joined()
  }

  /// Files of the last export that nobody has changed, and that are no part of this one.
  private func gone(_ files: [ExportedFile], _ last: [String: Set<String>]) -> [String] {
    let present = Set(files.map(\.path))
    return last.keys.sorted().filter { path in
      !present.contains(path) && text(of: path).map { last[path]?.contains(digest($0)) == true } == true
    }
  }

  private func listed() -> [String: Set<String>] {
    var digests: [String: Set<String>] = [:]
    for line in (text(of: Self.list) ?? "").split(separator: "\n") {
      guard let space = line.firstRange(of: "  ") else { continue }
      let path = String(line[space.upperBound...])
      // The list is a file like any other: no line of it leads out of the folder.
      guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else { continue }
      digests[path, default: []].insert(String(line[..<space.lowerBound]))
    }
    return digests
  }

  private func text(of file: String) -> String? { TextFile.read("\(path)/\(file)", last: Self.largestFile) }

  /// Whether something that is no readable file has the name.
  private func isBlocked(_ file: String) -> Bool {
    text(of: file) == nil && faccessat(AT_FDCWD, "\(path)/\(file)", F_OK, AT_SYMLINK_NOFOLLOW) == 0
  }

  private func digest(_ text: String) -> String { SHA256.hex(Array(text.utf8)) }

  private func makeFolders(_ path: String, mode: UInt32) throws(SystemError) {
    var folder = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      folder += folder.isEmpty || folder.hasSuffix("/") ? part : "/\(part)"
      try Folder.make(folder, mode: mode)
    }
  }
}
