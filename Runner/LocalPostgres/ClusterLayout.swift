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
}
