package import Manifest
package import Postgres

/// The tables, columns and checks of an app's own that keep functions from using its tables.
package struct Unfitness<Database: SQLExecutor> {
  private let database: Database
  private let manifest: Manifest
  private let migrations: [SchemaMigration]

  /// - Parameter migrations: the migrations of those folders from which none has run.
  init(of manifest: Manifest, _ migrations: [SchemaMigration], in database: Database) {
    (self.manifest, self.migrations, self.database) = (manifest, migrations, database)
  }

  /// The lines of `runner doctor` about them.
  ///
  /// Checks are named even if the migrations have run, because an app may make one later. Checks that keep out only calls
  /// are in ``warnings(of:in:)``.
  package static func lines(of manifest: Manifest, in database: Database) async throws -> [String] {
    let migrations = try await SchemaMigration.all(of: manifest)
    let state = try await SchemaState(of: database, migrations)
    let lines = try await Unfitness(of: manifest, state.beginning, in: database).lines()
    guard lines.isEmpty else { return lines }
    return try await checks(of: manifest, migrations, in: database).filter(\.calls.isEmpty).map(\.sentence)
  }

  /// A sentence for each check by which calls fail, if somebody makes them.
  package static func warnings(of manifest: Manifest, in database: Database) async throws -> [String] {
    let migrations = try await SchemaMigration.all(of: manifest)
    return try await checks(of: manifest, migrations, in: database).filter { !$0.calls.isEmpty }.map(\.note)
  }

  /// Each check that keeps out what functions write.
  static func checks(
    of manifest: Manifest, _ migrations: [SchemaMigration], in database: Database
  ) async throws(PostgresError) -> [UnfitCheck] {
    let others = try await Namesakes(of: migrations, in: database).leftAlone
    let rows = WrittenRow.all(of: migrations, by: manifest).filter { !others.contains($0.table) }
    return try await UnfitChecks(database: database, rows: rows).lines()
  }

  /// - Throws: `MigrationError` where there are any.
  func check() async throws {
    let lines = try await lines()
    guard !lines.isEmpty else { return }
    throw MigrationError(
      """
      Tables that are there cannot be used as they are, and nothing was changed. Mend each as its line says, or give the \
      table another name, then "runner migrate":
      \(lines.map { "  \($0)" }.joined(separator: "\n"))
      """)
  }

  /// A sentence for each, with the statement that mends it, if one does.
  ///
  /// Checks are asked when the columns fit.
  private func lines() async throws(PostgresError) -> [String] {
    let namesakes = try await Namesakes(of: migrations, in: database)
    let tables = try await UnfitTables(of: manifest, migrations, besides: namesakes, in: database).lines()
    let columns = try await UnfitColumns(of: manifest, migrations, in: database).all(besides: namesakes)
    let lines = namesakes.lines(of: manifest) + tables + columns.map(\.description)
    guard lines.isEmpty else { return lines }
    return try await Self.checks(of: manifest, migrations, in: database).filter(\.calls.isEmpty).map(\.sentence)
  }
}
