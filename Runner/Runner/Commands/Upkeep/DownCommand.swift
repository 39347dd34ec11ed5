import CLI
import FunctionKit
import Glibc
import Lifecycle
import LocalPostgres
import Manifest

/// `runner down`: ends the processes that `runner status` shows.
enum DownCommand {
  private static let leftBehind = Flag(
    "--left-behind", "end what deleted checkouts have left running, instead; it takes no options of a project")

  static let spec = CommandSpec(
    "down", "end the runner and this project's own PostgreSQL",
    [Reply.option], Form([leftBehind.required, Reply.option], closed: true),
    notes: """
      Waits for the end, and says what has ended. Another database, which DATABASE_URL
      names, goes on. exit: 0 nothing runs any more, 75 something does, 78 another
      project's runner serves from the state folder, and goes on.
      """, run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    guard arguments[leftBehind] else { return try await endProject(CommandContext(arguments)) }
    let answer = Reply(arguments)
    let ended = try await LeftBehind.end(LeftRunner.all(), LeftCluster.all())
    return try answer(
      ["ended": ended], text: text(ended, otherwise: "No deleted checkout has left anything running."))
  }

  private static func endProject(_ context: CommandContext) async throws -> Int32 {
    var shutdown = Shutdown(context.project)
    do { try await shutdown.run() } catch {
      if !shutdown.ended.isEmpty { TerminalWriter.note(shutdown.ended.map(\.text).joined(separator: ", ")) }
      throw error
    }
    let nothing = "Nothing of \(context.project.directory) runs."
    return try context.answer(["ended": shutdown.ended], text: text(shutdown.ended, otherwise: nothing))
  }

  private static func text(_ ended: [Shutdown.Ended], otherwise: String) -> String {
    ended.isEmpty ? otherwise : ended.map(\.text).joined(separator: "\n")
  }
}
