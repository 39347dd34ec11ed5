package import System

/// Who may start and stop a project's server, agreed among runners and guards by two locks.
///
/// Both are given up by the kernel when their holder ends. `using` changes hands only under `starting`, so the last
/// runner to go, or its guard, is the one that stops the server; a server that another runner has adopted stays.
package struct ClusterLocks: Sendable {
  /// Held exclusively while a server is started, adopted or stopped.
  package let starting: FileLock

  /// Held shared by every runner that uses the server; exclusively by the one that stops it.
  package let using: FileLock

  package init(_ layout: ClusterLayout) throws(SystemError) {
    starting = try FileLock("\(layout.runnerDirectory)/postgres-starting.lock")
    using = try FileLock("\(layout.runnerDirectory)/postgres-using.lock")
  }
}
