import CLI
import FunctionKit
import Glibc
import Lifecycle
import LocalPostgres
import Manifest

/// `runner down`: ends the processes that `runner status` shows.
struct DownCommand {
  private let arguments: CommandArguments
  private let endsLeft: Bool

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    endsLeft = arguments.flag("--left-behind")
    self.arguments = arguments
  }

  func run() async throws -> Int32 {
    guard endsLeft else { return try await endProject() }
    var arguments = arguments
    let answer = Reply(&arguments)
    try arguments.finish()
    let ended = try await LeftBehind.end(LeftRunner.all(), LeftCluster.all())
    return try answer(
      ["ended": ended], text: Self.text(ended, otherwise: "No deleted checkout has left anything running."))
  }

  private func endProject() async throws -> Int32 {
    let context = try CommandContext(arguments)
    var shutdown = Shutdown(context.project)
    do { try await shutdown.run() } catch {
      if !shutdown.ended.isEmpty { Console.note(shutdown.ended.map(\.text).joined(separator: ", ")) }
      throw error
    }
    let nothing = "Nothing of \(context.project.directory) runs."
    return try context.answer(["ended": shutdown.ended], text: Self.text(shutdown.ended, otherwise: nothing))
  }

  private static func text(_ ended: [Shutdown.Ended], otherwise: String) -> String {
    ended.isEmpty ? otherwise : ended.map(\.text).joined(separator: "\n")
  }
}
