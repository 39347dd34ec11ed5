import CLI
import Documents
import FunctionKit
import Postgres
import Queue
import Schedules

/// `runner schedules pause` and `resume`.
struct SchedulesPauseCommand {
  private let context: CommandContext
  private let entry: ScheduleEntry
  private let pauses: Bool

  init(_ arguments: CommandArguments, pauses: Bool) throws {
    var arguments = arguments
    self.pauses = pauses
    context = try CommandContext(&arguments)
    entry = try context.project.schedule(&arguments)
    try arguments.finish()
  }

  func run() async throws -> Int32 {
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
