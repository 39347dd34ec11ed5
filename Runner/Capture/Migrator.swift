import FunctionKit
package import Manifest
package import Postgres
import Schema

/// Brings a database to the present schema: the apps' migrations, the runner's own, and the triggers that
/// `functions.json` asks for.
///
/// All in one transaction: it is done wholly or not at all.
package struct Migrator {
  /// What was done, and what was left, a line each; empty where everything was there.
  package struct Report: Sendable, Encodable {
    package var migrations: [String] = []
    package var triggers: [String] = []
    /// The tables whose rows are of the default app from now on where they name none.
    package var defaults: [String] = []
    package var notes: [String] = []

    /// Of a database that was only looked at.
    package init(notes: [String] = []) {
      self.notes = notes
    }
  }

  let database: Connection
  /// How long is tried to get at tables that others use.
  var patience: Duration
  /// Is told, each time, that a table is in use and all will be tried again.
  package var waits: @Sendable () -> Void = {}

  package init(database: Connection, patience: Duration = .seconds(120)) {
    (self.database, self.patience) = (database, patience)
  }

  /// Only one migrates at a time; others wait for it and then find nothing to do.
  ///
  /// Where a table is in use, all is given up and tried again a moment later.
  ///
  /// - Parameter prunes: whether triggers and schedules of the bundle go that `functions.json` does not ask for.
  /// - Throws: `MigrationError` where the database is of a later version, or `functions.json` does not fit it, or a
  ///   migration fails; `FunctionError` where the role may not.
  package func migrate(_ manifest: Manifest, prunes: Bool = false) async throws -> Report {
    let end = ContinuousClock.now + patience
    while true {
      do {
        try await makeLargeIndexes()
        return try await attempt(manifest, prunes: prunes)
      } catch let error as PostgresError where error.sqlState == Self.lockNotAvailable && .now < end {
        waits()
        try await Task.sleep(for: .milliseconds(.random(in: 500...1_500)))
      } catch let error as PostgresError where error.sqlState == Self.lockNotAvailable {
        throw MigrationError(
          """
          A table is in use, for longer than \(patience.components.seconds) s: nothing was changed. Run "runner migrate" \
          again when no long transaction is open (see pg_stat_activity).
          """)
      } catch {
        throw MissingRights.ofMigrating(error) ?? error
      }
    }
  }

  private static let lockNotAvailable = "55P03"

  private func attempt(_ manifest: Manifest, prunes: Bool) async throws -> Report {
    try await database.transaction { transaction in
      _ = try await transaction.query("SELECT pg_advisory_xact_lock(7265825, 0)")
      // Of a table that somebody uses: the app's statements on it wait as long.
      _ = try await transaction.query("SET LOCAL lock_timeout = '500ms'")
      let state = try await SchemaState(of: transaction)
      try state.checkVersion()
      var report = Report()
      let begun = try await setDefaultApp(of: manifest, transaction)
      report.migrations = try await apply(state, transaction)
      report.defaults = try await begun + setDefaultApp(of: manifest, transaction)
      (report.triggers, report.notes) = try await TriggerInstaller(transaction: transaction)
        .install(manifest, prunes: prunes)
      let leftovers = Leftovers(manifest: manifest, database: transaction)
      if prunes { try await leftovers.forgetSchedules() }
      report.notes += [state.note].compactMap(\.self) + (try await leftovers.lines())
      return report
    }
  }

  /// Looks whether the database is as a runner needs it that is to serve; takes no locks, and changes nothing.
  ///
  /// - Returns: whether `migrate` would change anything, and what is to be said.
  /// - Throws: `MigrationError` where it is not; `FunctionError` where the role lacks rights.
  package func check(_ manifest: Manifest, prunes: Bool = false) async throws -> (isBehind: Bool, notes: [String]) {
    try await database.transaction(.repeatableRead, readOnly: true) { transaction in
      let state = try await SchemaState(of: transaction)
      try state.checkVersion()
      guard state.pending.isEmpty else {
        throw MigrationError(Self.advice + " (It lacks \(state.pending.map(\.name).joined(separator: ", ")).)")
      }
      if let rights = try await MissingRights(on: transaction) { throw rights.error }
      if let app = manifest.defaultApp,
        let table = try await DefaultApp(app: app, database: transaction).changes().first?.table
      {
        throw MigrationError("\(Self.advice) (Rows of \(table) that name no app are not of \(app) yet.)")
      }
      let plan = try await TriggerPlan(manifest, on: transaction, prunes: prunes)
      if let need = plan.needs.first { throw MigrationError("\(Self.advice) (\(need))") }
      let leftovers = Leftovers(manifest: manifest, database: transaction)
      let hasLeft = prunes ? try await !leftovers.schedules().isEmpty : false
      return (!plan.isEmpty || hasLeft, [state.note].compactMap(\.self) + plan.notes)
    }
  }

  private static let advice = "The database is not up to date: run \"runner migrate\" first, or serve with --migrate."

  /// - Returns: the tables that were changed.
  private func setDefaultApp(of manifest: Manifest, _ transaction: Transaction) async throws -> [String] {
    guard let app = manifest.defaultApp else { return [] }
    let changes = try await DefaultApp(app: app, database: transaction).changes()
    for change in changes { try await transaction.script(change.sql) }
    return changes.map(\.table)
  }

  private func apply(_ state: SchemaState, _ transaction: Transaction) async throws -> [String] {
    if !state.isBegun {
      try await transaction.script(Self.beginning)
    }
    for migration in state.pending {
      try await run(migration, transaction)
      try await transaction.script(migration.record)
    }
    let compatible = state.pending.filter(\.isCompatible).map(\.name)
    if !compatible.isEmpty {
      _ = try await transaction.query(
        "UPDATE runner.migrations SET breaks_older = false WHERE name = ANY (\(compatible))")
    }
    return state.pending.map(\.name)
  }

  package static let beginning = """
    CREATE SCHEMA IF NOT EXISTS runner;
    CREATE TABLE runner.migrations (
      name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());
    """

  private func run(_ migration: SchemaMigration, _ transaction: Transaction) async throws {
    do {
      try await transaction.script(migration.sql)
    } catch {
      guard case .sqlState(let state) = error.code, state != Self.lockNotAvailable,
        MissingRights.ofMigrating(error) == nil
      else { throw error }
      throw MigrationError("The migration \(migration.name) failed, and nothing was changed: \(error)")
    }
  }

  /// Every migration: the runner's own first, because triggers of the apps' tables call its functions.
  package static var all: [SchemaMigration] {
    [
      ("runner/0001_runner", PackageResources._001_runner_sql), ("runner/0002_queue", PackageResources._002_queue_sql),
      ("runner/0003_writers", PackageResources._003_writers_sql),
      ("runner/0004_removal", PackageResources._004_removal_sql),
      ("runner/0005_prepared", PackageResources._005_prepared_sql),
      ("runner/0006_bundles", PackageResources._006_bundles_sql),
      ("runner/0007_progress", PackageResources._007_progress_sql),
      ("runner/0008_identity", PackageResources._008_identity_sql),
    ].map { SchemaMigration(name: $0, sql: String(decoding: $1, as: UTF8.self)) }
      + ([Schema.preparation] + Schema.migrations).map { SchemaMigration(name: "apps/\($0.name)", sql: $0.sql) }
  }
}
