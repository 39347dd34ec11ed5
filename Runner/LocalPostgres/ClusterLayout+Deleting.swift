import FoundationEssentials
import Glibc
import System

extension ClusterLayout {
  /// Deletes the cluster and its socket's folder; where this is broken off, the next start or deletion finishes it.
  ///
  /// - Parameter runtimeDirectory: the user's, where the socket may be.
  package func delete(runtimeDirectory: String?) throws {
    // Half a cluster could neither be started nor made again.
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

  /// Refuses a folder of the runner that leads elsewhere, or that this user may not look into.
  package func checkRunnerDirectory() throws {
    var facts = stat()
    guard lstat(runnerDirectory, &facts) == 0 else { return }
    guard facts.st_mode & S_IFMT == S_IFDIR else {
      throw LocalPostgresError(.notOurs, "\(runnerDirectory) is no folder: what it leads to is another project's.")
    }
    guard access(runnerDirectory, R_OK | X_OK) == 0 else {
      throw LocalPostgresError(
        .notOurs, "\(runnerDirectory) belongs to user \(facts.st_uid): what runs of it only that user can see and end.")
    }
  }
}
