import FunctionKit
import Postgres

/// `runner migrate`: the schema and the triggers, in one transaction.
struct MigrateCommand {
  private let project: Project
  private let json: Bool

  init(_ words: Words) throws {
    var words = words
    project = try Project(directory: words.value("--project"))
    json = words.flag("--json")
    try words.finish()
  }

  func run() async throws -> Int32 {
    let own = Environment.current()["DATABASE_URL"] == nil
    let local = own ? try await LocalPostgres.start(project: project.directory) : nil
    let url = try local?.url ?? Environment.current().databaseURL()
    let database = Connection(url: url, applicationName: "runner migrate", statementTimeout: .seconds(600))
    let report = try await Migrator(database: database).migrate(project.manifest)
    await database.close()
    _ = try await local?.stop()
    if json {
      let document = RawJSON(object: [
        ("migrations", try JSONCoding.encode(report.migrations)), ("triggers", try JSONCoding.encode(report.triggers)),
      ])
      return Console.say(String(decoding: document.bytes, as: UTF8.self))
    }
    let lines = report.migrations.map { "applied \($0)" } + report.triggers
    return Console.say(lines.isEmpty ? "Nothing to do: the database is up to date." : lines.joined(separator: "\n"))
  }
}
