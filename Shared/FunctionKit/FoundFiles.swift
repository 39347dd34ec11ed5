import Glibc

/// Files that are found in a folder or above it, without anybody naming them: they count if root or the caller owns them.
///
/// Anybody may put a file into a folder above, such as `/tmp`, and it would say which programs run and which database is
/// believed. The rule is that of git's `safe.directory`.
package struct FoundFiles: Sendable {
  /// The variable that lists safe folders, with colons between them; `*` means every folder.
  ///
  /// A file in a safe folder counts, no matter who owns it.
  package static let variable = "PUSH_FUNCTIONS_SAFE_DIRECTORY"

  private static let databaseFile = ".runner/database-url"

  private let owners: Set<uid_t>
  private let folders: Set<String>
  private let countsAll: Bool

  /// - Parameters:
  ///   - environment: what says which folders are safe.
  ///   - folder: the folder that the command line names, if it names one.
  package init(_ environment: Environment, named folder: String? = nil) {
    var owners: Set<uid_t> = [0, geteuid()]
    // As git does: below sudo, the person's own folders are meant.
    if geteuid() == 0, let person = environment["SUDO_UID"].flatMap({ uid_t($0) }) { owners.insert(person) }
    self.owners = owners
    let words = (environment[Self.variable] ?? "").split(separator: ":").map(String.init)
    countsAll = words.contains("*")
    folders = Set((words + [folder].compactMap(\.self)).compactMap(Self.resolved))
  }

  /// The nearest folder with such a file, from a folder upward.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` if the file there is somebody else's.
  package func folder(with name: String, from start: String) throws(FunctionError) -> String? {
    guard var folder = Self.resolved(start) else { return nil }
    while try !has(name, in: folder) {
      guard folder != "/", let slash = folder.lastIndex(of: "/") else { return nil }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
    return folder
  }

  /// Whether a folder has such a file, which nobody else can have put there.
  ///
  /// - Parameter folder: its path without links.
  /// - Throws: ``FunctionError/Code/misconfigured`` if somebody else owns the file, or a folder that leads to it.
  package func has(_ name: String, in folder: String) throws(FunctionError) -> Bool {
    var (file, paths) = (folder == "/" ? "" : folder, [folder])
    for part in name.split(separator: "/") {
      file += "/\(part)"
      paths.append(file)
    }
    guard access(file, F_OK) == 0 else { return false }
    guard !countsAll, !folders.contains(folder) else { return true }
    for path in paths {
      // A link counts as little as what it leads to.
      var (entry, target) = (stat(), stat())
      guard lstat(path, &entry) == 0, stat(path, &target) == 0 else { return false }
      guard let owner = [entry.st_uid, target.st_uid].first(where: { !owners.contains($0) }) else { continue }
      throw FunctionError(
        .misconfigured,
        "\(file) is not used: \(path == file ? "it" : path) belongs to user \(owner), not to you or root. If you trust "
          + "that user, set \(Self.variable)=\(folder).")
    }
    return true
  }

  /// The database of the nearest local runner, from a folder upward.
  ///
  /// - Throws: ``FunctionError/Code/misconfigured`` if there is none, or if it is somebody else's.
  package func databaseURL(from start: String) throws(FunctionError) -> String {
    if let folder = try folder(with: Self.databaseFile, from: start),
      let bytes = RegularFile.contents(of: "\(folder)/\(Self.databaseFile)", limit: 65_536)
    {
      return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }
    throw FunctionError(
      .misconfigured,
      "There is no database: set DATABASE_URL, or start the local runner (Runner/up, or runner serve) in this folder or "
        + "one above it.")
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
