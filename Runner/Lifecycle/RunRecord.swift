package import FunctionKit
import Glibc
package import Manifest
import System

/// A file of `.runner/runs` that a runner keeps locked while it lives; its name is the id that its processes carry.
///
/// A file that nobody has locked is a dead runner's. Its guard has ended its processes, unless it died as well.
package final class RunRecord: Sendable {
  private let path: String
  private let lock: FileLock

  /// Writes down that the run lives.
  package init(id: String, in project: Project) throws {
    let folder = "\(try project.stateDirectory())/runs"
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir \(folder)") }
    // Nobody finds it before it is locked.
    let draft = "\(folder)/.\(id)"
    path = "\(folder)/\(id)"
    lock = try FileLock(draft)
    guard lock.take(.exclusive), rename(draft, path) == 0 else { throw SystemError("lock \(draft)") }
  }

  /// The run has ended, and nothing of it is left.
  package func remove() { unlink(path) }

  /// Ends what dead runners of the project have left, so that it is in nobody's way: within two seconds for each.
  ///
  /// - Returns: how many processes there were.
  @RunnerLoop @discardableResult
  package static func endLeftovers(
    of project: Project, log: Log, executable: String = "/proc/self/exe"
  ) async throws -> Int {
    let folder = "\(try project.stateDirectory())/runs"
    var ended = 0
    for id in Folder.names(in: folder) where !id.hasPrefix(".") {
      let path = "\(folder)/\(id)"
      guard let lock = try? FileLock(path), lock.take(.exclusive) else { continue }
      let left = MarkedProcesses.carrying(Guard.marker(id)).count
      ended += left
      if left > 0 {
        log.warning("A runner was killed together with its guard: what it left is ended", ["processes": "\(left)"])
        // A guard without a runner.
        let order = GuardOrder(id: id, project: nil)
        _ = await ProcessEnd.status(of: try SessionProcess.start([executable] + order.arguments))
      }
      unlink(path)
    }
    return ended
  }
}
