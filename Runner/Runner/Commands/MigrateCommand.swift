import CLI
import Capture
import FunctionKit
import LocalPostgres
import Manifest
import Postgres

/// `runner migrate`: the schema and the triggers, in one transaction.
struct MigrateCommand {
  private let context: CommandContext
  private let prunes: Bool
  private let isPlan: Bool

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    prunes = arguments.flag("--prune")
    isPlan = arguments.flag("--plan")
    context = try CommandContext(&arguments)
    try arguments.finish()
  }

  func run() async throws -> Int32 {
    let project = context.project
    let local = project.hasOwnDatabase ? try await LocalPostgres.start(project: project.directory) : nil
    let status = try await context.withDatabase(
      url: local?.url, named: "runner migrate", statementTimeout: .seconds(600)
    ) { database in
      var migrator = Migrator(database: database)
      migrator.waits = { Console.note("a table is in use: nothing is changed yet, trying again in a moment") }
      return try await isPlan ? plan(migrator) : migrate(migrator)
    }
    _ = try await local?.stop()
    return status
  }

  private func migrate(_ migrator: Migrator) async throws -> Int32 {
    let manifest = context.project.manifest
    let report = try await migrator.migrate(manifest, prunes: prunes)
    let done =
      report.recorded.map { "recorded \($0), which the version before this one has done" }
      + report.migrations.map { "applied \($0)" } + report.triggers
      + report.defaults.map { "rows of \($0) that name no app are of \(manifest.defaultApp ?? "")" }
    let lines = (done.isEmpty ? ["Nothing to do: the database is up to date."] : done) + report.notes
    return try context.answer(report, text: lines.joined(separator: "\n"))
  }

  private func plan(_ migrator: Migrator) async throws -> Int32 {
    let parts = try await migrator.plan(context.project.manifest, prunes: prunes)
    let text = parts.map { "-- \($0.name)\n\($0.sql)" }.joined(separator: "\n\n")
    return try context.answer(parts, text: text.isEmpty ? "-- Nothing to do: the database is up to date." : text)
  }
}
