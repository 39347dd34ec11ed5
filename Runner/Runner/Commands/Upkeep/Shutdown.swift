import Documents
import FunctionKit
import Glibc
import Lifecycle
import LocalPostgres
import Manifest
import System

/// Ends what a project runs, and says what it has ended.
struct Shutdown {
  /// Something that ran and has been ended.
  struct Ended: Encodable {
    var what: String
    var process: Int?

    var text: String { "ended \(what)\(process.map { ", process \($0)" } ?? "")" }
  }

  /// How long a runner may take to end after each of two signals; with `--drain` the second one ends its waiting.
  private static let timeLimit = Duration.seconds(60)

  let project: Project
  private(set) var ended: [Ended] = []

  init(_ project: Project) { self.project = project }

  /// Ends the runner, what runners that were killed have left, and the project's own PostgreSQL.
  ///
  /// - Throws: if something does not end, or may not be ended, or if another project's runner serves from the folder.
  mutating func run() async throws {
    try ServingClaim.refuseOthers(project)
    let layout = try ClusterLayout(project: project.directory)
    let before = try ProjectStatus(project)
    let server = Postmaster.running(in: layout.data)
    if let process = ServingClaim.holder(project) {
      try await Self.end(process) { [project] in ServingClaim.holder(project) != process }
      ended.append(Ended(what: "the runner", process: Int(process)))
      ended += before.services.map { Ended(what: $0.name, process: $0.process) }
    }
    if access(project.state, F_OK) == 0 {
      let count = try await RunRecord.endLeftovers(of: project, log: Log { _ in })
      if count > 0 { ended.append(Ended(what: "\(count) processes of a runner that was killed")) }
    }
    guard let server else { return }
    if server.isRunning, try await LocalPostgres.stop(layout, ClusterLocks(layout)) == .leftToAnotherRunner {
      throw FunctionError(
        .unavailable, "PostgreSQL, process \(server.process), goes on: another runner of this folder uses it.")
    }
    guard !server.isRunning else {
      throw FunctionError(.unavailable, "PostgreSQL, process \(server.process), does not end.")
    }
    ended.append(Ended(what: "PostgreSQL", process: Int(server.process)))
  }

  /// Ends a runner by SIGTERM, and by a second one if it has not ended in time.
  static func end(_ runner: pid_t, _ hasEnded: () -> Bool) async throws {
    for _ in 1...2 {
      if hasEnded() { return }
      guard kill(runner, SIGTERM) == 0 || errno == ESRCH else {
        throw FunctionError(.notPermitted, "Process \(runner) is another user's: end it as that user.")
      }
      if try await Polling.wait(until: .now + timeLimit, hasEnded) { return }
    }
    throw FunctionError(.unavailable, "The runner, process \(runner), does not end.")
  }
}
