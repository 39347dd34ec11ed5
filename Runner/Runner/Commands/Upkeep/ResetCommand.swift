import CLI
import FoundationEssentials
import FunctionKit
import Glibc
import Lifecycle
import LocalPostgres
import Manifest
import System

/// `runner reset`: ends what runs, and deletes the project's own database and what its services keep.
enum ResetCommand {
  private static let leftBehind = Flag(
    "--left-behind",
    "delete the databases that deleted checkouts have left, instead; it takes no options of a project")

  static let spec = CommandSpec(
    "reset", "delete this project's own database and what its services keep",
    [Consent.option, Reply.option], Form([leftBehind.required, Consent.option, Reply.option], closed: true),
    notes: """
      Ends what runs first. Another database, which DATABASE_URL names,
      is never touched. exit: 78 another project's runner used the state folder last.
      """, run: { try await $0[leftBehind] ? resetLeft($0) : resetProject($0) })

  private static func resetProject(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    let project = context.project
    try ServingClaim.refuseOthers(project, alsoEnded: true)
    let state = try LocalState(project)
    let there = state.there
    guard !there.isEmpty else {
      return try context.answer(["deleted": there], text: "\(project.directory) keeps nothing that could be deleted.")
    }
    let sentence = "This ends what \(project.directory) runs, and deletes"
    guard try Consent(arguments).isGiven(to: sentence, there) else { return 0 }
    // A person may take long to answer.
    try ServingClaim.refuseOthers(project, alsoEnded: true)
    var shutdown = Shutdown(project)
    try await shutdown.run()
    let claim = try await ServingClaim.take(project)
    try await state.delete()
    withExtendedLifetime(claim) {}
    return try context.answer(
      ["deleted": there], text: (shutdown.ended.map(\.text) + lines(there)).joined(separator: "\n"))
  }

  private static func resetLeft(_ arguments: CommandArguments) async throws -> Int32 {
    let answer = Reply(arguments)
    let clusters = LeftCluster.all()
    let runners = LeftRunner.all()
    let left =
      runners.map { "the runner of \($0.project), process \($0.process)" }
      + clusters.map { "\($0.home), the database of \($0.project)" }
    let sentence = "This ends and deletes what deleted or moved checkouts have left:"
    guard try left.isEmpty || Consent(arguments).isGiven(to: sentence, left) else { return 0 }
    let ended = try await LeftBehind.end(runners, clusters)
    let homes = try LeftBehind.delete(clusters)
    let lines = ended.map(\.text) + lines(homes)
    return try answer(
      ["deleted": homes], text: lines.isEmpty ? "No deleted checkout has left anything." : lines.joined(separator: "\n")
    )
  }

  private static func lines(_ paths: [String]) -> [String] { paths.map { "deleted \($0)" } }
}

/// The things that a project keeps on this machine besides its log.
struct LocalState {
  private let layout: ClusterLayout
  private let services: [String]

  init(_ project: Project) throws {
    layout = try ClusterLayout(project: project.directory)
    try layout.checkRunnerDirectory()
    services = project.manifest.services.map { "\(project.state)/\($0.name)" }
  }

  /// The folders that exist.
  var there: [String] { ([layout.home] + services).filter { access($0, F_OK) == 0 } }

  /// Deletes them, while no runner can start or use the database.
  func delete() async throws {
    try Folder.make(layout.runnerDirectory, mode: 0o700)
    let locks = try ClusterLocks(layout)
    guard locks.starting.take(.exclusive), locks.using.take(.exclusive) else {
      throw FunctionError(.unavailable, "Another runner of this folder uses the database.")
    }
    for path in services where access(path, F_OK) == 0 { try FileManager.default.removeItem(atPath: path) }
    try layout.delete(runtimeDirectory: Environment.current()["XDG_RUNTIME_DIR"])
  }
}
