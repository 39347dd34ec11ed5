import CLI
import Documents
import FunctionKit
import Manifest
import Postgres
import Queue

/// `runner resume`: lets the waiting events of a paused function start again.
struct ResumeCommand {
  private let context: CommandContext
  private let function: FunctionEntry

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    context = try CommandContext(&arguments)
    function = try context.project.function(&arguments)
    try arguments.finish()
  }

  func run() async throws -> Int32 {
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
