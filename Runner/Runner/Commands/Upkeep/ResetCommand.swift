import CLI
import FoundationEssentials
import FunctionKit
import Glibc
import Lifecycle
import LocalPostgres
import Manifest
import System

/// `runner reset`: ends what runs, and deletes the project's own database and what its services keep.
struct ResetCommand {
  private let words: Words
  private let deletesLeft: Bool
  private let isSure: Bool

  init(_ words: Words) throws {
    var words = words
    deletesLeft = words.flag("--left-behind")
    isSure = words.flag("--yes")
    self.words = words
  }

  func run() async throws -> Int32 { try await deletesLeft ? resetLeft() : resetProject() }

  private func resetProject() async throws -> Int32 {
    let context = try CommandContext(stateful: words)
    let project = context.project
    let state = try LocalState(project)
    let there = state.there
    guard !there.isEmpty else {
      return try context.answer(["deleted": there], text: "\(project.directory) keeps nothing that could be deleted.")
    }
    try ask("This ends what runs of \(project.directory) and deletes", there)
    var shutdown = Shutdown(project)
    try await shutdown.run()
    let claim = try await ServingClaim.take(project)
    try await state.delete()
    withExtendedLifetime(claim) {}
    return try context.answer(
      ["deleted": there], text: (shutdown.ended.map(\.text) + Self.lines(there)).joined(separator: "\n"))
  }

  private func resetLeft() async throws -> Int32 {
    var words = words
    let answer = Reply(&words)
    try words.finish()
    let clusters = LeftCluster.all()
    let homes = clusters.map(\.home)
    if !homes.isEmpty { try ask("This ends what deleted checkouts have left and deletes", homes) }
    let ended = try await LeftBehind.end(LeftRunner.all(), clusters)
    try LeftBehind.delete(clusters)
    let lines = ended.map(\.text) + Self.lines(homes)
    return try answer(
      ["deleted": homes], text: lines.isEmpty ? "No deleted checkout has left anything." : lines.joined(separator: "\n")
    )
  }

  /// - Throws: where the person at the terminal does not say yes, or nobody sits there and `--yes` was not given.
  private func ask(_ sentence: String, _ paths: [String]) throws(FunctionError) {
    guard !isSure else { return }
    guard isatty(STDIN_FILENO) == 1 else {
      throw FunctionError(.usage, "\(sentence) \(paths.joined(separator: ", ")): say --yes.")
    }
    Console.write("\(sentence)\n\(paths.map { "  \($0)\n" }.joined())Go on? [y/N] ", to: STDERR_FILENO)
    guard ["y", "yes"].contains(readLine()?.lowercased()) else {
      throw FunctionError(.noInput, "Nothing was deleted.")
    }
  }

  private static func lines(_ paths: [String]) -> [String] { paths.map { "deleted \($0)" } }
}

/// What a project keeps on this machine besides its log.
struct LocalState {
  private let layout: ClusterLayout
  private let services: [String]

  init(_ project: Project) throws {
    layout = try ClusterLayout(project: project.directory)
    services = project.manifest.services.map { "\(project.state)/\($0.name)" }
  }

  /// The folders that there are.
  var there: [String] { ([layout.home] + services).filter { access($0, F_OK) == 0 } }

  /// Deletes them, while no runner can start or use the database.
  func delete() async throws {
    let locks = try ClusterLocks(layout)
    guard locks.starting.take(.exclusive), locks.using.take(.exclusive) else {
      throw FunctionError(.unavailable, "Another runner of this folder uses the database.")
    }
    let socket = SocketDirectory.path(for: layout, runtimeDirectory: Environment.current()["XDG_RUNTIME_DIR"])
    for path in there + [socket] where access(path, F_OK) == 0 { try FileManager.default.removeItem(atPath: path) }
    unlink(layout.link)
    unlink(layout.urlFile)
  }
}
