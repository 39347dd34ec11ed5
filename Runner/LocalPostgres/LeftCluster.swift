import FoundationEssentials
import Glibc
import System

/// A cluster of root whose project's folder is gone, so no runner will start it again.
package struct LeftCluster: Sendable {
  /// The cluster's folder.
  package let home: String
  /// Where the project was.
  package let project: String

  /// Its server, if that still runs.
  package var server: Postmaster? { Postmaster.running(in: "\(home)/data") }

  /// Deletes it, and the file that names its project last; `false` if a server still uses it.
  package func delete() throws -> Bool {
    guard server == nil else { return false }
    let owner = ClusterLayout.ownerFile(in: home)
    let paths = Folder.names(in: home).map { "\(home)/\($0)" }.filter { $0 != owner }
    let hash = String(home.split(separator: "/").last ?? "")
    for path in paths + [SocketDirectory.ofRoot(hash), home] where access(path, F_OK) == 0 {
      try FileManager.default.removeItem(atPath: path)
    }
    return true
  }

  /// All clusters that are certainly left.
  package static func all(in shelf: String = ClusterLayout.shelf) -> [LeftCluster] {
    Folder.names(in: shelf).sorted().compactMap { name in
      let home = "\(shelf)/\(name)"
      guard let project = ClusterLayout.owner(of: home), ClusterLayout.hash(of: project) == name else { return nil }
      let cluster = LeftCluster(home: home, project: project)
      return cluster.isLeft ? cluster : nil
    }
  }

  /// Whether the project's folder is certainly gone, also for the cluster's server, which may live in a container.
  private var isLeft: Bool {
    let folders = [project] + (server.map { ["/proc/\($0.process)/root\(project)"] } ?? [])
    return folders.allSatisfy { access($0, F_OK) != 0 && errno == ENOENT }
  }
}
