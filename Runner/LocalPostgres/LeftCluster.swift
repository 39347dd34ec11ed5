import Glibc
import System

/// A cluster of root's whose project's folder is gone: nobody will start it again.
package struct LeftCluster: Sendable {
  /// The cluster's folder.
  package let home: String
  /// Where the project was.
  package let project: String

  /// Its server, where that still runs.
  package var server: Postmaster? { Postmaster.running(in: "\(home)/data") }

  /// All that can be told to be left.
  package static func all(in shelf: String = ClusterLayout.shelf) -> [LeftCluster] {
    Folder.names(in: shelf).sorted().compactMap { name in
      let home = "\(shelf)/\(name)"
      guard let owner = TextFile.read(ClusterLayout.ownerFile(in: home)) else { return nil }
      let project = String(owner.prefix { $0 != "\n" })
      return access(project, F_OK) == 0 ? nil : LeftCluster(home: home, project: project)
    }
  }
}
