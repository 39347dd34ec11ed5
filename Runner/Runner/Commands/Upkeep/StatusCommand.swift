import CLI
import Documents
import FunctionKit
import Inspection
import Lifecycle
import Manifest
import Metrics
import Postgres

/// `runner status`: what this project runs here, and what waits.
enum StatusCommand {
  static let spec = CommandSpec(
    "status", "what this project runs here, and what waits", [Reply.option],
    notes: """
      Also names what deleted checkouts have left. exit: 0 a runner serves or is
      starting, 69 none does, 78 another project's runner serves from the state
      folder.
      """, run: run)

  /// The exit status when nothing serves, "service unavailable" of sysexits.h.
  static let notServing: Int32 = 69

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    try ServingClaim.refuseOthers(context.project)
    var status = try ProjectStatus(context.project)
    do {
      try await context.withDatabase(named: "runner status", statementTimeout: .seconds(5)) { database in
        status.waiting = try await ProjectStatus.Waiting.read(database)
        status.overdue = try await Overdue.all(in: database)
        status.outages = try await database.outages(context.project.manifest)
      }
    } catch {
      if !context.project.hasOwnDatabase { status.silence = "\(error)" }
    }
    let functions = await RunnerReport.ask(context.project)?.functions ?? []
    status.paused = functions.compactMap { function in function.paused.map { "\(function.name) (\($0.code))" } }
    try context.answer(status, text: status.text)
    return status.isRunning ? 0 : notServing
  }
}

extension ProjectStatus.Waiting {
  fileprivate static func read(_ database: Connection) async throws -> Self {
    let row = try await database.query(
      """
      SELECT (SELECT count(*) FROM runner.events)::int AS events, (SELECT count(*) FROM runner.retries)::int AS retries,
        (SELECT count(*) FROM runner.dead_letters)::int AS dead
      """
    ).only()
    return Self(
      events: try row.decode("events"), retries: try row.decode("retries"), deadLetters: try row.decode("dead"))
  }
}
