import Glibc
import System

extension ClusterLayout {
  /// Makes the folders above the data, and refuses what belongs to somebody else.
  func makeFolders() throws {
    try Folder.make(runnerDirectory, mode: 0o700)
    try Folder.require(runnerDirectory, ownedBy: geteuid())
    guard account != nil else { return try Folder.make(home, mode: 0o700) }
    try Folder.make(Self.shelf, mode: 0o755)
    try Folder.require(Self.shelf, ownedBy: geteuid())
    try Folder.make(home, mode: 0o755)
    try Folder.require(home, ownedBy: geteuid())
    try pointLinkHome()
    try TextFile.replace(Self.ownerFile(in: home), with: "\(project)\n")
  }

  private func pointLinkHome() throws {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &target, target.count)
    if count >= 0, target[..<count].elementsEqual(home.utf8CString.dropLast()) { return }
    if count < 0, errno == EINVAL {
      throw LocalPostgresError(
        .notOurs, "\(link) is a folder, made by a runner that was not root. Start the runner as that user again.")
    }
    // Put in place whole, because another runner may be starting in this folder, too.
    let draft = "\(link).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    guard symlink(home, draft) == 0, rename(draft, link) == 0 else { throw SystemError("link \(link)") }
  }
}

extension Folder {
  /// Checks that a path is a folder, no link, of this owner; if private, that nobody else may enter.
  static func require(_ path: String, ownedBy owner: uid_t, isPrivate: Bool = false) throws {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { throw SystemError("look at \(path)") }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      throw LocalPostgresError(.notOurs, "\(path) is no folder. Remove it.")
    }
    guard facts.st_uid == owner else {
      throw LocalPostgresError(
        .notOurs, "\(path) belongs to user \(facts.st_uid) instead of \(owner). Start as that user, or remove it.")
    }
    guard !isPrivate || facts.st_mode & 0o077 == 0 else {
      throw LocalPostgresError(.notOurs, "\(path) can be entered by others. Remove it, or: chmod 700 '\(path)'.")
    }
  }
}
