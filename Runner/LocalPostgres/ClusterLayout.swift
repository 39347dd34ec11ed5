import FoundationEssentials
import FunctionKit
import Glibc
import System

/// The paths of a project's local PostgreSQL.
package struct ClusterLayout: Sendable {
  /// The project's folder, without symbolic links.
  let project: String

  /// The user that runs the server; `nil` if it is the runner's own user.
  let account: ServerAccount?

  /// The first half of the SHA-256 of the project's path.
  ///
  /// It names everything that lies outside the project.
  let hash: String

  package init(project: String) throws {
    guard let path = realpath(project, nil) else { throw SystemError("find the project \(project)") }
    defer { free(path) }
    self.project = String(cString: path)
    account = try ServerAccount.needed()
    hash = Self.hash(of: self.project)
  }

  static func hash(of project: String) -> String { String(SHA256.hex(project.utf8).prefix(16)) }

  package var runnerDirectory: String { "\(project)/.runner" }

  /// The folder of the cluster, or the link to it.
  package var link: String { "\(runnerDirectory)/postgres" }

  /// The folder of the cluster.
  ///
  /// Root's cluster lies outside the project, because the server's user may not enter a folder above the project.
  package var home: String { account == nil ? link : "\(Self.shelf)/\(hash)" }

  /// The file in root's cluster that names its project, so that a cluster without a project can be found.
  static func ownerFile(in home: String) -> String { "\(home)/project" }

  /// The project that a cluster of root was created for; `nil` if it does not say.
  static func owner(of home: String) -> String? {
    TextFile.read(ownerFile(in: home)).flatMap { $0.hasSuffix("\n") ? String($0.dropLast()) : nil }
  }

  static let shelf = "/var/lib/push-functions"

  package var data: String { "\(home)/data" }
  var draft: String { "\(home)/data.new" }
  /// The data while it is deleted.
  var discarded: String { "\(home)/data.gone" }
  var log: String { "\(home)/server.log" }
  package var urlFile: String { "\(runnerDirectory)/database-url" }

  /// The user that owns the data.
  var serverUser: uid_t { account?.user ?? geteuid() }

  /// Makes the folders above the data, and refuses a folder of another user.
  func makeFolders() throws {
    try Folder.make(runnerDirectory, mode: 0o700)
    try Folder.require(runnerDirectory, ownedBy: geteuid())
    for path in [data, draft] { try Folder.refuseLink(path) }
    guard account != nil else {
      try Folder.make(home, mode: 0o700)
      return try Folder.require(home, ownedBy: geteuid())
    }
    try makeOpenFolder(Self.shelf)
    try takeMovedHome()
    try makeOpenFolder(home)
    try pointLinkHome()
    try TextFile.replace(Self.ownerFile(in: home), with: "\(project)\n")
  }

  /// Makes a folder that the server's user may pass, with any umask of this process.
  private func makeOpenFolder(_ path: String) throws {
    try Folder.make(path, mode: 0o755)
    try Folder.require(path, ownedBy: geteuid())
    guard chmod(path, 0o755) == 0 else { throw SystemError("open \(path)") }
  }

  /// Moves the cluster of a project whose folder has a new path.
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

  /// Where the project's link leads; `nil` if it has no link.
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
    // The link appears as a whole, because another runner may start in this folder at the same time.
    let draft = "\(link).\(String(UInt64.random(in: .min ... .max), radix: 36))"
    guard symlink(home, draft) == 0, rename(draft, link) == 0 else { throw SystemError("link \(link)") }
  }

  /// Deletes the cluster and its socket's folder.
  ///
  /// If this is interrupted, the next start or deletion finishes it.
  ///
  /// - Parameter runtimeDirectory: the user's run-time folder, where the socket may be.
  package func delete(runtimeDirectory: String?) throws {
    // Half a cluster could be neither started nor created again.
    guard rename(data, discarded) == 0 || [ENOENT, ENOTEMPTY, EEXIST].contains(errno) else {
      throw SystemError("name \(discarded)")
    }
    let socket = SocketDirectory.path(for: self, runtimeDirectory: runtimeDirectory)
    for path in [discarded, data, home, socket] where access(path, F_OK) == 0 {
      try FileManager.default.removeItem(atPath: path)
    }
    unlink(link)
    unlink(urlFile)
  }

  /// Refuses a runner's folder that is a link, or that this user may not look into.
  package func checkRunnerDirectory() throws {
    var facts = stat()
    guard lstat(runnerDirectory, &facts) == 0 else { return }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      throw LocalPostgresError(.notOurs, "\(runnerDirectory) is not a folder: it leads to another project.")
    }
    guard access(runnerDirectory, R_OK | X_OK) == 0 else {
      throw LocalPostgresError(
        .notOurs, "\(runnerDirectory) belongs to user \(facts.st_uid): only that user can see and end what runs of it.")
    }
  }
}

extension Folder {
  /// Checks that a path is a folder, not a link, and belongs to this owner; if private, that no other user may enter
  /// it.
  static func require(_ path: String, ownedBy owner: uid_t, isPrivate: Bool = false) throws {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { throw SystemError("look at \(path)") }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      throw LocalPostgresError(.notOurs, "\(path) is not a folder. Remove it.")
    }
    guard facts.st_uid == owner else {
      throw LocalPostgresError(
        .notOurs, "\(path) belongs to user \(facts.st_uid), not to \(owner). Start as that user, or remove it.")
    }
    guard !isPrivate || facts.st_mode & 0o077 == 0 else {
      throw LocalPostgresError(.notOurs, "Other users can enter \(path). Remove it, or run: chmod 700 '\(path)'.")
    }
  }
}
