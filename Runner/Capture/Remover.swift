import FunctionKit
package import Manifest
package import Postgres

/// Takes what `runner migrate` has made out of a database again: triggers, functions, tables and columns.
///
/// All in one transaction: it is done wholly or not at all.
package struct Remover {
  /// The plan of a removal: the things that go, and those that somebody may miss.
  package struct Plan: Sendable, Encodable {
    /// The statements, in order; empty if there is nothing of the runner's.
    package var statements: [String] = []
    /// A line for each table and column with rows that are lost.
    package var lost: [String] = []
    /// A line for each thing that stays, because the app may have made it.
    package var kept: [String] = []
  }

  /// The outcome of a removal.
  package struct Report: Sendable, Encodable {
    /// How many statements were run; 0 if there was nothing of the runner's.
    package var statements = 0
    package var lost: [String] = []
    package var kept: [String] = []
    /// The things that could not be put back: each the statement, and why it was refused.
    package var left: [String] = []

    package init() {}
  }

  private let database: Connection
  /// How long is tried to get at tables that others use.
  private let timeLimit: Duration
  /// Is told, each time, that a table is in use and all will be tried again.
  package var waits: @Sendable () -> Void = {}

  package init(database: Connection, timeLimit: Duration = .seconds(120)) {
    (self.database, self.timeLimit) = (database, timeLimit)
  }

  /// Looks, and changes nothing.
  package func plan(_ manifest: Manifest) async throws -> Plan {
    let migrations = try await SchemaMigration.all(of: manifest)
    do {
      return try await database.transaction(.repeatableRead, readOnly: true) { transaction in
        let scope = try await RemovalScope(of: migrations, in: transaction)
        guard scope.isThere else { return Plan() }
        return Plan(
          statements: ["BEGIN;", "\(Self.zone);"] + (try await scope.steps().map { "\($0.sql);" }) + ["COMMIT;"],
          lost: try await scope.losses(besides: manifest.bundle, on: transaction),
          kept: try await scope.remains(but: manifest.appTables))
      }
    } catch { throw Self.refusal(error) ?? error }
  }

  /// Looks whether anything speaks against it now.
  ///
  /// - Throws: `MigrationError` where a runner lives or work waits.
  package func check(_ manifest: Manifest, evenWaiting: Bool) async throws {
    let hindrances = RemovalHindrances(manifest: manifest, database: database)
    try await hindrances.checkRunners()
    if !evenWaiting { try await hindrances.checkWork() }
  }

  /// Only one changes the schema at a time.
  ///
  /// Where a table is in use, all is given up and tried again a moment later.
  ///
  /// - Parameter evenWaiting: whether events and pushes that wait may be lost.
  /// - Throws: `MigrationError` where a runner lives, events wait, or something of the app's needs what is to go.
  package func remove(_ manifest: Manifest, evenWaiting: Bool) async throws -> Report {
    let end = ContinuousClock.now + timeLimit
    let migrations = try await SchemaMigration.all(of: manifest)
    while true {
      do {
        return try await attempt(manifest, migrations, evenWaiting)
      } catch let error as PostgresError where Self.inUse.contains(error.sqlState ?? "") && .now < end {
        waits()
        try await Task.sleep(for: .milliseconds(.random(in: 500...1_500)))
      } catch let error as PostgresError where Self.inUse.contains(error.sqlState ?? "") {
        throw MigrationError(
          """
          A table is in use, for longer than \(timeLimit.components.seconds) s: nothing was changed. Run it again when no \
          long transaction is open (see pg_stat_activity).
          """)
      } catch let error as PostgresError where error.sqlState == Self.isNeeded {
        throw MigrationError(
          """
          Nothing was changed: something of the app's needs what is to go. Drop it first: \
          \(error.detail.map { $0.split(separator: "\n").joined(separator: "; ") } ?? error.description).
          """)
      } catch { throw Self.refusal(error) ?? error }
    }
  }

  /// The message if the server refuses a statement because of the role.
  private static func refusal(_ error: any Error) -> FunctionError? {
    guard let error = error as? PostgresError, error.sqlState == "42501" else { return nil }
    return FunctionError(
      .notPermitted,
      "The database's role may not do this, and nothing was changed: run it as the owner of the tables. (\(error))",
      cause: error)
  }

  /// Times without a zone were taken to be UTC's, and become so again.
  private static let zone = "SET LOCAL TimeZone = 'UTC'"
  /// A lock was not to be had, or two sessions waited for each other.
  private static let inUse: Set = ["55P03", "40P01"]
  /// Other objects depend on it: PostgreSQL's detail names those, and no rows.
  private static let isNeeded = "2BP01"

  private func attempt(
    _ manifest: Manifest, _ migrations: [SchemaMigration], _ evenWaiting: Bool
  ) async throws -> Report {
    try await database.transaction { transaction in
      try await transaction.script("\(Migrator.start) \(Self.zone)")
      let scope = try await RemovalScope(of: migrations, in: transaction)
      var report = Report()
      guard scope.isThere else { return report }
      let hindrances = RemovalHindrances(manifest: manifest, database: transaction)
      try await hindrances.checkRunners()
      let steps = try await scope.steps()
      try await run(steps.filter(\.isTrigger), transaction)
      // No event is made any more: what was made until now is there to be seen.
      if !evenWaiting { try await hindrances.checkWork() }
      var rest = steps.filter { !$0.isTrigger }[...]
      while let next = rest.first {
        let others = rest.prefix { !$0.isRestoring }
        if others.isEmpty {
          if let reason = try await putBack(next, transaction) { report.left.append(reason) }
          rest.removeFirst()
        } else {
          try await run(Array(others), transaction)
          rest = rest.dropFirst(others.count)
        }
      }
      report.statements = steps.count
      return report
    }
  }

  private func run(_ steps: [RemovalStep], _ transaction: Transaction) async throws(PostgresError) {
    guard !steps.isEmpty else { return }
    try await transaction.script(steps.map { "\($0.sql);" }.joined(separator: "\n"))
  }

  /// - Returns: the statement, and why it was refused: rows that have come since may stand against it.
  private func putBack(_ step: RemovalStep, _ transaction: Transaction) async throws(PostgresError) -> String? {
    guard let error = try await transaction.attempt(step.sql) else { return nil }
    guard !Self.inUse.contains(error.sqlState ?? "") else { throw error }
    return "\(step.sql); (\(error))"
  }
}
