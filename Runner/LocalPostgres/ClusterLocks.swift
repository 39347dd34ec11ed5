package import System

/// The two locks by which runners and guards agree who may start and stop a project's server.
///
/// The kernel releases both when their holder ends. `using` changes only under `starting`. So the last runner, or its
/// guard, stops the server, and a server that another runner has adopted goes on.
package struct ClusterLocks: Sendable {
  /// Held exclusively by a process that starts, adopts or stops the server.
  package let starting: FileLock

  /// Held shared by every runner that uses the server, and exclusively by the one that stops it.
  package let using: FileLock

  package init(_ layout: ClusterLayout) throws(SystemError) {
    starting = try FileLock("\(layout.runnerDirectory)/postgres-starting.lock")
    using = try FileLock("\(layout.runnerDirectory)/postgres-using.lock")
  }
}
