import FoundationEssentials
import Glibc
import System

extension ClusterLayout {
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
