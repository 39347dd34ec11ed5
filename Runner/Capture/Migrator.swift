import FunctionKit
package import Manifest
package import Postgres

/// Brings a database to the present schema: the runner's migrations, the bundle's, and the triggers that
/// `functions.json` asks for.
///
/// All in one transaction: it is done wholly or not at all.
package struct Migrator {
  /// A line for each thing that was done or left; empty if nothing was missing.
  package struct Report: Sendable, Encodable {
    package var migrations: [String] = []
    package var triggers: [String] = []
    /// The tables whose rows are of the default app from now on where they name none.
    package var defaults: [String] = []
    /// How many partitions there were and are, if their number was changed.
    package var partitions: [Int]?
    /// The change so that people who stand elsewhere are found.
    package var people: String?
    /// The statements that have let roles in that own nothing.
    package var rights: [String] = []
    package var notes: [String] = []
    /// The things that a changed schema has no more, by the functions that are held because of them.
    package var held: [String: String] = [:]

    private enum CodingKeys: CodingKey {
      case migrations, triggers, defaults, partitions, people, rights, notes
    }

    /// A report about a database that was only looked at.
    package init(notes: [String] = [], held: [String: String] = [:]) {
      (self.notes, self.held) = (notes, held)
    }
  }

  let database: Connection
  let isOwn: Bool
  /// How long is tried to get at tables that others use.
  var timeLimit: Duration
  /// Is told, each time, that a table is in use and all will be tried again.
  package var waits: @Sendable () -> Void = {}

  /// - Parameter isOwn: whether the database is the runner's own, which may be made afresh.
  package init(database: Connection, isOwn: Bool = false, timeLimit: Duration = .seconds(120)) {
    (self.database, self.isOwn, self.timeLimit) = (database, isOwn, timeLimit)
  }

  /// Only one migrates at a time; others wait for it and then find nothing to do.
  ///
  /// Where a table is in use, all is given up and tried again a moment later.
  ///
  /// - Parameters:
  ///   - prunes: whether triggers and schedules of the bundle go that `functions.json` does not ask for.
  ///   - partitions: how many the queue has from now on, a power of two up to 256; as many as before if `nil`.
  ///   - holds: whether a table or column that is gone holds its functions, and is no error.
  ///   - role: is granted everything that a runner and the functions need, now and whenever it is migrated later.
  /// - Throws: `MigrationError` where the database is of another version, or `functions.json` does not fit it, or a
  ///   migration fails; `FunctionError` where the role may not.
  package func migrate(
    _ manifest: Manifest, prunes: Bool = false, partitions: Int? = nil, holds: Bool = false,
    granting role: String? = nil
  ) async throws -> Report {
    let end = ContinuousClock.now + timeLimit
    let migrations = try await SchemaMigration.all(of: manifest)
    while true {
      do {
        let state = try await SchemaState(of: database, migrations, isOwn: isOwn)
        try state.checkVersion()
        try await Unfitness(of: manifest, state.beginning, in: database).check()
        try await makeLargeIndexes(migrations)
        var report = try await attempt(manifest, migrations, prunes: prunes, partitions, holds: holds, role)
        report.notes += try await Unfitness.checks(of: manifest, migrations, in: database).map(\.note)
        return report
      } catch let error as PostgresError where error.sqlState == Self.lockNotAvailable && .now < end {
        waits()
        try await Task.sleep(for: .milliseconds(.random(in: 500...1_500)))
      } catch let error as PostgresError where error.sqlState == Self.lockNotAvailable {
        throw MigrationError(
          """
          A table is in use, for longer than \(timeLimit.components.seconds) s: nothing was changed. Run "runner migrate" \
          again when no long transaction is open (see pg_stat_activity).
          """)
      } catch {
        throw MissingRights.ofMigrating(error) ?? error
      }
    }
  }

  private static let lockNotAvailable = "55P03"

  /// The start of its transaction: the app's statements wait behind it no longer than it waits for a table.
  package static let start = """
    SELECT pg_advisory_xact_lock(\(AdvisoryLock.change.text), 0);
    SET LOCAL lock_timeout = '500ms';
    """

  private func attempt(
    _ manifest: Manifest, _ migrations: [SchemaMigration], prunes: Bool, _ partitions: Int?, holds: Bool,
    _ role: String?
  ) async throws -> Report {
    try await database.transaction { transaction in
      try await transaction.script(Self.start)
      let state = try await SchemaState(of: transaction, migrations, isOwn: isOwn)
      try state.checkVersion()
      let shape = SchemaShape(of: migrations)
      var report = Report()
      let people = PeopleElsewhere(of: manifest, in: transaction)
      let advice = try await people?.check(besides: Array(shape.tables.keys))
      let facts = CatalogFacts(of: migrations)
      let indexes = try await nameEarlyIndexes(state.pending, transaction)
      let before = try await facts.read(transaction)
      // What goes with a migration, or because the people stand elsewhere now, is not lost.
      let lost = state.isBegun ? Set(try await LostTrigger.all(in: transaction).map(\.sentence)) : []
      let begun = try await setDefaultApp(of: manifest, shape, transaction)
      report.migrations = try await apply(state, transaction)
      report.defaults = try await begun + setDefaultApp(of: manifest, shape, transaction)
      report.people = try await people?.follow()
      (report.triggers, report.notes, report.held) = try await TriggerInstaller(transaction: transaction)
        .install(manifest, prunes: prunes, holds: holds)
      for trigger in try await LostTrigger.all(in: transaction) where lost.contains(trigger.sentence) {
        guard trigger.isOurs else {
          report.notes.append("\(trigger.sentence) Only a role with the right TRIGGER on the table can make it again.")
          continue
        }
        try await transaction.script(trigger.sql)
        report.triggers.append("renewed trigger \(trigger.name) on \(trigger.table)")
      }
      let leftovers = Leftovers(manifest: manifest, database: transaction)
      if prunes { try await leftovers.forgetSchedules() }
      if let partitions {
        let before = try await PartitionNumber(of: transaction).change(to: partitions)
        if before != partitions { report.partitions = [before, partitions] }
      }
      report.notes += [advice].compactMap(\.self)
      let roles = ServingRoles(try await NeededRights(of: manifest, migrations, in: transaction), in: transaction)
      report.rights = try await roles.letIn(role)
      try await facts.record(since: before, isWhole: !state.isBegun, making: indexes, on: transaction)
      report.notes += [state.note].compactMap(\.self) + (try await leftovers.lines())
      report.notes += try await CaptureGaps.lines(of: manifest, on: transaction)
      report.notes += try await OpenTables.lines(of: manifest, in: transaction)
      return report
    }
  }

  /// Looks whether the database is as a runner needs it that is to serve; takes no locks, and changes nothing.
  ///
  /// - Returns: whether `migrate` would change anything, what is to be said, and what a changed schema has no more, by
  ///   functions.
  /// - Throws: `MigrationError` where it is not; `FunctionError` where the role lacks rights.
  package func check(
    _ manifest: Manifest, prunes: Bool = false
  ) async throws -> (isBehind: Bool, notes: [String], held: [String: String]) {
    let migrations = try await SchemaMigration.all(of: manifest)
    let found = try await database.transaction(.repeatableRead, readOnly: true) { transaction in
      let state = try await SchemaState(of: transaction, migrations, isOwn: isOwn)
      try state.checkVersion()
      guard state.pending.isEmpty else {
        throw MigrationError(Self.advice + " (It lacks \(state.pending.map(\.name).joined(separator: ", ")).)")
      }
      let rights = try await MissingRights(ofRunnerOn: transaction)
      guard rights.statements.isEmpty else { throw rights.error }
      if let app = manifest.defaultApp,
        let table = try await DefaultApp(app: app, shape: SchemaShape(of: migrations), database: transaction).changes()
          .first?.table
      {
        throw MigrationError("\(Self.advice) (Rows of \(table) that name no app are not of \(app) yet.)")
      }
      let plan = try await TriggerPlan(manifest, on: transaction, prunes: prunes, holds: true)
      if let need = plan.needs.first { throw MigrationError("\(Self.advice) (\(need))") }
      if let lost = try await LostTrigger.all(in: transaction).first {
        throw MigrationError("\(Self.advice) (\(lost.sentence))")
      }
      let leftovers = Leftovers(manifest: manifest, database: transaction)
      let hasLeft = prunes ? try await !leftovers.schedules().isEmpty : false
      let shortage = try await PartitionNumber(of: transaction).shortage(manifest.functions.map(\.name), joining: 1)
      return (
        isBehind: !plan.isEmpty || hasLeft, notes: [state.note, shortage].compactMap(\.self) + plan.notes,
        held: plan.misfits
      )
    }
    // A check that cannot be asked ends a transaction.
    let unfit = try await Unfitness.checks(of: manifest, migrations, in: database).map(\.note)
    return (found.isBehind, found.notes + unfit, found.held)
  }

  private static let advice = "The database is not up to date: run \"runner migrate\" first, or serve with --migrate."

  /// - Returns: the tables that were changed.
  private func setDefaultApp(
    of manifest: Manifest, _ shape: SchemaShape, _ transaction: Transaction
  ) async throws -> [String] {
    guard let app = manifest.defaultApp else { return [] }
    let changes = try await DefaultApp(app: app, shape: shape, database: transaction).changes()
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
    for migration in state.pending {
      if let statement = migration.compatibilityRecord { try await transaction.script(statement) }
    }
    return state.pending.map(\.name)
  }

  /// `breaks_older` says whether runners that do not know a migration must not go on beside it, or only those that know
  /// `compatible_since` may.
  package static let beginning = """
    CREATE SCHEMA IF NOT EXISTS runner;
    CREATE TABLE runner.migrations (
      name text PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      breaks_older boolean NOT NULL DEFAULT true,
      compatible_since text
    );
    """

  private func run(_ migration: SchemaMigration, _ transaction: Transaction) async throws {
    do {
      try await transaction.script(migration.sql)
    } catch {
      guard case .sqlState(let state) = error.code, state != Self.lockNotAvailable,
        MissingRights.ofMigrating(error) == nil
      else { throw error }
      let cause = Self.alreadyThere.contains(state) ? Self.unrecorded : ""
      throw MigrationError("The migration \(migration.name) failed, and nothing was changed: \(error)\(cause)")
    }
  }

  /// A schema, table, column, function, or another thing of that name is there.
  private static let alreadyThere: Set = ["42P06", "42P07", "42701", "42723", "42710"]

  private static let unrecorded = """
     What it makes is there already, and runner.migrations does not say so: the database may come from a dump without \
    rows. Restore the rows of runner.migrations, or take away what the migration makes.
    """
}
