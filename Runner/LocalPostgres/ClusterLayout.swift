import FunctionKit
import Glibc
import System

/// Where a project's local PostgreSQL keeps what.
package struct ClusterLayout: Sendable {
  /// The project's folder, without symbolic links.
  let project: String

  /// The user as which the server runs, `nil` when it is the runner's own.
  let account: ServerAccount?

  /// The first half of the SHA-256 of the project's path, the name of all that lies outside the project.
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
  /// Root's lies outside the project, because the server's user may be barred from a folder above it.
  package var home: String { account == nil ? link : "\(Self.shelf)/\(hash)" }

  /// Where root's cluster says whose it is, so that one whose project is gone can be told.
  static func ownerFile(in home: String) -> String { "\(home)/project" }

  /// The project that a cluster of root's was made for; `nil` where it does not say.
  static func owner(of home: String) -> String? {
    TextFile.read(ownerFile(in: home)).flatMap { $0.hasSuffix("\n") ? String($0.dropLast()) : nil }
  }

  static let shelf = "/var/lib/push-functions"

  package var data: String { "\(home)/data" }
  var draft: String { "\(home)/data.new" }
  /// Where data stands while it is deleted.
  var discarded: String { "\(home)/data.gone" }
  var log: String { "\(home)/server.log" }
  package var urlFile: String { "\(runnerDirectory)/database-url" }

  /// The user that owns the data.
  var serverUser: uid_t { account?.user ?? geteuid() }
}
