import FunctionKit
import Postgres

/// `runner migrate`: the schema and the triggers, in one transaction.
struct MigrateCommand {
  private let context: CommandContext
  private let prunes: Bool

  init(_ words: Words) throws {
    var words = words
    prunes = words.flag("--prune")
    context = try CommandContext(&words)
    try words.finish()
  }

  func run() async throws -> Int32 {
    let own = Environment.current()["DATABASE_URL"] == nil
    let local = own ? try await LocalPostgres.start(project: context.project.directory) : nil
    let report = try await context.withDatabase(
      url: local?.url, named: "runner migrate", statementTimeout: .seconds(600)
    ) { database in
      try await Migrator(database: database).migrate(context.project.manifest, prunes: prunes)
    }
    _ = try await local?.stop()
    let done = report.migrations.map { "applied \($0)" } + report.triggers
    let lines = (done.isEmpty ? ["Nothing to do: the database is up to date."] : done) + report.notes
    return try context.answer(report, text: lines.joined(separator: "\n"))
  }
}
