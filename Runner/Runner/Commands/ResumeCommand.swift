import CLI
import Documents
import FunctionKit
import Manifest
import Postgres
import Queue

/// `runner resume`: lets the waiting events of a paused function start again.
enum ResumeCommand {
  static let spec = CommandSpec(
    "resume", "let the waiting events of a paused function start again",
    [Operand("NAME").offering(.functions).required, Reply.option],
    notes: """
      A function that is misconfigured or cannot be started is paused: its events
      wait and use up no attempt.
      """, run: run)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    let function = try context.project.function(arguments)
    let isHeard = try await context.withDatabase { database in
      _ = try await database.query(
        "SELECT \(ControlWord.resume(function.name).notify)")
      return try await ListeningRunners.isAny(on: database)
    }
    return try context.answer(
      ResumeDocument(function: function.name, heard: isHeard),
      text: isHeard
        ? "\(function.name) may start again."
        : "No runner is up. When one starts, it tries \(function.name) again by itself.")
  }
}
