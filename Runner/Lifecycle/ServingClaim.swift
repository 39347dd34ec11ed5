package import FoundationEssentials
package import FunctionKit
import Glibc
package import Manifest
package import System

/// The claim of one runner to serve from a folder: a lock that ends with its process.
package struct ServingClaim: Sendable {
  private let lock: FileLock

  /// Claims the folder, before anything in it is touched.
  ///
  /// - Returns: nil if the folder cannot be written: then a second runner cannot spoil anything in it.
  /// - Throws: `FunctionError` with the process and the URL of the runner that serves from it, or with a link in it.
  package static func take(_ project: Project) async throws -> ServingClaim? {
    try refuseLinks(in: project)
    guard let folder = try? project.stateDirectory(), access(folder, W_OK) == 0 || isTaken(project) else { return nil }
    let lock = try FileLock(path(folder))
    // A command that only checks whether a runner serves holds the lock for a moment.
    guard try await Polling.wait(until: .now + .milliseconds(300), { lock.take(.exclusive) }) else {
      throw refusal(project)
    }
    lock.write("\(getpid())\n\(project.directory)\n\(FileIdentity(project.directory)?.text ?? "")\n")
    unlink("\(folder)/\(RunnerState.file)")
    return ServingClaim(lock: lock)
  }

  /// Whether a runner serves from the project's folder, or is about to.
  package static func isTaken(_ project: Project) -> Bool { FileLock.isHeld(path(project.state)) }

  /// The process that serves from the project's folder, or is about to; `nil` if there is none.
  package static func holder(_ project: Project) -> ProcessID? {
    guard isTaken(project) else { return nil }
    return TextFile.read(path(project.state)).flatMap { ProcessID($0.prefix { $0.isNumber }) }
  }

  /// Since when a runner has been serving from the project's folder.
  package static func since(_ project: Project) -> Date? {
    var facts = stat()
    guard stat(path(project.state), &facts) == 0 else { return nil }
    return Date(timeIntervalSince1970: Double(facts.st_mtim.tv_sec))
  }

  /// Refuses a folder from which another project's runner serves.
  ///
  /// - Parameter alsoEnded: also refuses a folder that another project's runner used last.
  /// - Throws: ``FunctionError/Code/misconfigured`` with that project.
  package static func refuseOthers(_ project: Project, alsoEnded: Bool = false) throws(FunctionError) {
    guard let other = other(project), alsoEnded || isTaken(project) else { return }
    throw FunctionError(
      .misconfigured,
      "\(sentence(other, project)) Give the state folder of \(project.directory) by --state-dir or "
        + "\(Project.stateVariable), or --project \(other).")
  }

  /// The project whose runner serves from the folder, or was the last one to; `nil` if it is this one.
  ///
  /// A claim in the project's own folder, maybe copied with it, is another project's only while that one serves from
  /// it. A project is the same under another path, as after a move or in a mount; one that is gone owns nothing.
  package static func other(_ project: Project) -> String? {
    let lines = (TextFile.read(path(project.state)) ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    // The process, the path, in which a line may end, too, and the file's identity.
    guard lines.count > 3, lines.last == "" else { return nil }
    let owner = lines[1..<(lines.count - 2)].joined(separator: "\n")
    guard owner != project.directory, FileIdentity(project.directory)?.text != String(lines[lines.count - 2]),
      access(owner, F_OK) == 0 || errno != ENOENT
    else { return nil }
    return isTaken(project) || project.stateInside == nil ? owner : nil
  }

  private static func sentence(_ other: String, _ project: Project) -> String {
    let process = holder(project).map { ", process \($0)," } ?? ""
    return "The runner of \(other)\(process) keeps its state in \(project.state)."
  }

  /// Refuses links in place of the folders in which a runner writes.
  ///
  /// Only the one that `--state-dir` names may be a link, as systemd makes it for `DynamicUser=`.
  private static func refuseLinks(in project: Project) throws(FunctionError) {
    let own = "\(project.directory)/.runner"
    let inside = [RunRecord.folder] + project.manifest.services.map(\.name)
    for path in (project.state == own ? [own] : []) + inside.map({ "\(project.state)/\($0)" }) {
      try Folder.refuseLink(path)
    }
  }

  private static func path(_ folder: String) -> String { "\(folder)/serving.lock" }

  private static func refusal(_ project: Project) -> FunctionError {
    if let other = other(project) {
      return FunctionError(
        .unavailable, "\(sentence(other, project)) A runner of \(project.directory) needs its own --state-dir.")
    }
    let process = holder(project)
    let state = RunnerState.read(project).flatMap { $0.pid == process ? $0 : nil }
    let name = process.map { "process \($0)" } ?? "another runner"
    let served = state.map { "is already served at \($0.url) by \(name)" } ?? "is already being started by \(name)"
    return FunctionError(
      .unavailable, "\(project.directory) \(served). Another runner of this folder needs its own --state-dir.")
  }
}
