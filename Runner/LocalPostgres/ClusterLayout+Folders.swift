import Glibc
import System

extension ClusterLayout {
  /// Makes the folders above the data, and refuses what belongs to somebody else.
  func makeFolders() throws {
    try Folder.make(runnerDirectory, mode: 0o700)
    try Folder.require(runnerDirectory, ownedBy: geteuid())
    guard account != nil else { return try Folder.make(home, mode: 0o700) }
    try makeOpenFolder(Self.shelf)
    try takeMovedHome()
    try makeOpenFolder(home)
    try pointLinkHome()
    try TextFile.replace(Self.ownerFile(in: home), with: "\(project)\n")
  }

  /// Makes a folder that the server's user may pass, whatever this process's umask.
  private func makeOpenFolder(_ path: String) throws {
    try Folder.make(path, mode: 0o755)
    try Folder.require(path, ownedBy: geteuid())
    guard chmod(path, 0o755) == 0 else { throw SystemError("open \(path)") }
  }

  /// Takes along the cluster of a project whose folder has another path now.
  private func takeMovedHome() throws {
    guard let former = linkedHome(), former != home, former.hasPrefix("\(Self.shelf)/"),
      let project = Self.owner(of: former), access(project, F_OK) != 0, errno == ENOENT
    else { return }
    guard access(home, F_OK) != 0, Postmaster.running(in: "\(former)/data") == nil else {
      throw LocalPostgresError(
        .notOurs,
        "This folder was \(project), whose database is \(former), and "
          + (access(home, F_OK) == 0 ? "\(home) is another one of it." : "its PostgreSQL still runs.")
          + " End it, or delete one of them, by \"runner down --left-behind\" or \"runner reset --left-behind\".")
    }
    guard rename(former, home) == 0 || errno == ENOENT else { throw SystemError("name \(home)") }
    rmdir(SocketDirectory.ofRoot(Self.hash(of: project)))
  }

  /// Where the project's link leads; `nil` where it has none.
  private func linkedHome() -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &target, target.count)
    return count < 0 ? nil : String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func pointLinkHome() throws {
    let former = linkedHome()
    if former == home { return }
    if former == nil, errno == EINVAL {
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
