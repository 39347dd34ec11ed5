import FunctionKit
import Postgres

/// `runner schedules pause` and `resume`.
struct SchedulesPauseCommand {
  private let project: Project
  private let entry: ScheduleEntry
  private let pauses: Bool

  init(_ words: Words, pauses: Bool) throws {
    var words = words
    self.pauses = pauses
    project = try Project(directory: words.value("--project"))
    guard let name = words.word() else { throw FunctionError(.usage, "Which schedule? See runner schedules.") }
    try words.finish()
    entry = try project.schedule(name)
  }

  func run() async throws -> Int32 {
    let change: SQL =
      pauses
      ? "paused_at = coalesce(paused_at, runner.now()), next_at = NULL"
      : "paused_at = NULL, since = CASE WHEN paused_at IS NULL THEN since ELSE runner.now() END"
    let changed = try await project.database().query(
      """
      WITH changed AS (UPDATE runner.schedules SET \(change) WHERE name = \(entry.name) RETURNING 1)
      SELECT pg_notify('runner_control', \(ControlWord.schedules.payload)) FROM changed
      """)
    guard !changed.isEmpty else {
      throw FunctionError(.unavailable, "The database does not know \(entry.name) yet: start the runner first.")
    }
    return Console.say("\(entry.name) is \(pauses ? "paused" : "resumed").")
  }
}
