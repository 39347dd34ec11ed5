import CLI
import Documents
import FunctionKit
import Postgres
import Queue

/// `runner schedules pause` and `resume`.
enum SchedulesPauseCommand {
  static let pause = CommandSpec(
    "pause", "nothing is due until resumed, and nothing is made up then",
    [SchedulesCommand.name.required, Reply.option]
  ) { try await run($0, pauses: true) }

  static let resume = CommandSpec(
    "resume", "goes on with what is due from now on", [SchedulesCommand.name.required, Reply.option]
  ) { try await run($0, pauses: false) }

  private static func run(_ arguments: CommandArguments, pauses: Bool) async throws -> Int32 {
    let context = try CommandContext(arguments)
    let entry = try context.project.schedule(arguments)
    let change: SQL =
      pauses
      ? "paused_at = coalesce(paused_at, runner.now()), next_at = NULL"
      : "paused_at = NULL, since = CASE WHEN paused_at IS NULL THEN since ELSE runner.now() END"
    let changed = try await context.withDatabase { database in
      try await database.query(
        """
        WITH changed AS (UPDATE runner.schedules SET \(change) WHERE name = \(entry.name) RETURNING 1)
        SELECT \(ControlWord.schedules.notify) FROM changed
        """)
    }
    guard !changed.isEmpty else {
      throw FunctionError(.unavailable, "The database does not know \(entry.name) yet: start the runner first.")
    }
    return try context.answer(
      PauseDocument(schedule: entry.name, paused: pauses), text: "\(entry.name) is \(pauses ? "paused" : "resumed").")
  }
}
