import Postgres
import Schema

/// Brings a database to the present schema: the apps' migrations, the runner's own, and the triggers that
/// `functions.json` asks for.
///
/// All in one transaction: it is done wholly or not at all.
struct Migrator {
  /// What was done, a line each; empty where everything was there.
  struct Report: Sendable, Encodable {
    var migrations: [String] = []
    var triggers: [String] = []
  }

  let database: Connection

  /// Only one migrates at a time; others wait for it and then find nothing to do.
  ///
  /// - Parameter changing: without it nothing is changed.
  /// - Throws: `MigrationError`, also when something would have to be changed and may not be.
  func migrate(_ manifest: Manifest, changing: Bool = true) async throws -> Report {
    try await database.transaction { transaction in
      _ = try await transaction.query("SELECT pg_advisory_xact_lock(7265825, 0)")
      var report = Report()
      report.migrations = try await applyMigrations(transaction)
      report.triggers = try await TriggerInstaller(transaction: transaction).install(manifest)
      guard changing || report.migrations.isEmpty && report.triggers.isEmpty else {
        throw MigrationError("The database is not up to date: run \"runner migrate\" first, or serve with --migrate.")
      }
      return report
    }
  }

  private func applyMigrations(_ transaction: Transaction) async throws -> [String] {
    try await transaction.script(
      """
      CREATE SCHEMA IF NOT EXISTS runner;
      CREATE TABLE IF NOT EXISTS runner.migrations (
        name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
      """)
    let known = Set(try await transaction.query("SELECT name FROM runner.migrations").decode("name", as: String.self))
    var applied: [String] = []
    for migration in Self.all where !known.contains(migration.name) {
      try await transaction.script(migration.sql)
      _ = try await transaction.query("INSERT INTO runner.migrations (name) VALUES (\(migration.name))")
      applied.append(migration.name)
    }
    return applied
  }

  /// Every migration: the runner's own first, because triggers of the apps' tables call its functions.
  static var all: [(name: String, sql: String)] {
    [
      ("runner/0001_runner", PackageResources._001_runner_sql), ("runner/0002_queue", PackageResources._002_queue_sql),
      ("runner/0003_writers", PackageResources._003_writers_sql),
      ("runner/0004_removal", PackageResources._004_removal_sql),
    ].map { ($0, String(decoding: $1, as: UTF8.self)) }
      + Schema.migrations.map { ("apps/\($0.name)", $0.sql) }
  }
}
