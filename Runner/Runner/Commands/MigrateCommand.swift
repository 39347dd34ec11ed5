import FunctionKit
import Postgres

/// `runner migrate`: the schema and the triggers, in one transaction.
struct MigrateCommand {
  private let context: CommandContext

  init(_ words: Words) throws {
    context = try CommandContext(words)
  }

  func run() async throws -> Int32 {
    let own = Environment.current()["DATABASE_URL"] == nil
    let local = own ? try await LocalPostgres.start(project: context.project.directory) : nil
    let report = try await context.withDatabase(
      url: local?.url, named: "runner migrate", statementTimeout: .seconds(600)
    ) { database in
      try await Migrator(database: database).migrate(context.project.manifest)
    }
    _ = try await local?.stop()
    let lines = report.migrations.map { "applied \($0)" } + report.triggers
    return try context.answer(
      report, text: lines.isEmpty ? "Nothing to do: the database is up to date." : lines.joined(separator: "\n"))
  }
}
