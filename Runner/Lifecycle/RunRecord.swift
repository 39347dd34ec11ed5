package import FunctionKit
import Glibc
package import Manifest
import System

/// A file in `.runner/runs` that a runner keeps locked while it lives.
///
/// Its name is the id that marks its processes.
///
/// If no process holds the lock, the runner is dead. Its guard has ended its processes, unless the guard died, too.
package final class RunRecord: Sendable {
  /// The folder of all records, in that of the project's state.
  static let folder = "runs"

  private let path: String
  private let lock: FileLock

  /// Records that the run lives.
  package init(id: String, in project: Project) throws {
    let folder = try Self.folder(of: project)
    try Folder.make(folder, mode: 0o700)
    // The file gets its name when it is locked, so that no other process finds it before.
    let draft = "\(folder)/.\(id)"
    path = "\(folder)/\(id)"
    lock = try FileLock(draft)
    guard lock.take(.exclusive), rename(draft, path) == 0 else { throw SystemError("lock \(draft)") }
  }

  /// Removes the record, when nothing of the run is left.
  package func remove() { unlink(path) }

  /// Ends the processes that dead runners of the project have left, within two seconds for each runner.
  ///
  /// - Returns: the number of these processes.
  @BlockingThread @discardableResult
  package static func endLeftovers(
    of project: Project, log: Log, executable: String = "/proc/self/exe"
  ) async throws -> Int {
    let folder = try folder(of: project)
    var ended = 0
    for id in Folder.names(in: folder) where !id.hasPrefix(".") {
      let path = "\(folder)/\(id)"
      guard let lock = try? FileLock(path), lock.take(.exclusive) else { continue }
      let left = MarkedProcesses.carrying(Guard.marker(id)).count
      ended += left
      if left > 0 {
        log.warning("A runner and its guard were killed: the runner ends what they left", ["processes": "\(left)"])
        // A guard without a runner.
        let order = GuardOrder(id: id, project: nil)
        _ = await ProcessEnd.status(of: try SessionProcess.start([executable] + order.arguments))
      }
      unlink(path)
    }
    return ended
  }

  private static func folder(of project: Project) throws -> String {
    let path = "\(try project.stateDirectory())/\(folder)"
    try Folder.refuseLink(path)
    return path
  }
}
