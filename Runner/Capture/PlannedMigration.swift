import FunctionKit
package import Manifest
import Postgres

extension Migrator {
  /// A part of what `migrate` would run.
  package struct Planned: Sendable, Encodable, Equatable {
    /// The migration, or what else it is.
    package var name: String
    package var sql: String
    /// The runners of earlier versions that may go on beside it.
    package var compatibility = SchemaMigration.Compatibility.all
    /// Whether no transaction may be open, and the rest does without it: a migration makes the index otherwise.
    package var isEarly = false

    private enum CodingKeys: CodingKey { case name, sql }
  }

  /// The statements that `migrate` would run, in order; changes nothing.
  ///
  /// Triggers are made for tables as they are: those that functions.json asks for on a table that is still to come are
  /// not among them.
  package func plan(
    _ manifest: Manifest, prunes: Bool, partitions: Int? = nil, granting role: String? = nil
  ) async throws -> [Planned] {
    let migrations = try await SchemaMigration.all(of: manifest)
    let shape = SchemaShape(of: migrations)
    var parts: [Planned] = []
    let large = try await largeIndexes(migrations)
    for index in large {
      let removal = index.place.isEmpty ? "" : "DROP INDEX CONCURRENTLY IF EXISTS \(index.place);\n"
      let name = "the index \(index.name), before the transaction"
      parts.append(Planned(name: name, sql: removal + index.sql, isEarly: true))
    }
    let named = large + (try await earlyIndexes(migrations, database)).filter { !large.map(\.name).contains($0.name) }
    if !named.isEmpty {
      parts.append(Planned(name: "the names of these indexes", sql: named.map(\.naming).joined(separator: "\n")))
    }
    // A check that cannot be asked ends a transaction.
    let beginning = try await SchemaState(of: database, migrations, isOwn: isOwn).beginning
    try await Unfitness(of: manifest, beginning, in: database).check()
    let pending = try await database.transaction(.repeatableRead, readOnly: true) { transaction in
      let state = try await SchemaState(of: transaction, migrations, isOwn: isOwn)
      try state.checkVersion()
      _ = try await PeopleElsewhere(of: manifest, in: transaction)?.check(besides: Array(shape.tables.keys))
      if let app = manifest.defaultApp {
        let changes = try await DefaultApp(app: app, shape: shape, database: transaction).changes()
        parts += changes.map { Planned(name: "the default app of \($0.table)", sql: $0.sql) }
      }
      if !state.isBegun { parts.append(Planned(name: "runner", sql: Self.beginning)) }
      return state.pending
    }
    parts += pending.map {
      // A file may end without a semicolon, or with a comment.
      let end = $0.sql.last { !$0.isWhitespace } == ";" ? "" : "\n;"
      return Planned(name: $0.name, sql: "\($0.sql)\(end)\n\($0.record)", compatibility: $0.compatibility)
    }
    let records = pending.compactMap(\.compatibilityRecord)
    if !records.isEmpty { parts.append(Planned(name: "runner", sql: records.joined(separator: "\n"))) }
    if let app = manifest.defaultApp {
      let changes = try await DefaultApp(app: app, shape: shape, database: database).changesOfNewTables()
      parts += changes.map { Planned(name: "the default app of \($0.table)", sql: $0.sql) }
    }
    parts += try await people(manifest, areKnown: pending.isEmpty)
    parts += try await triggers(manifest, prunes: prunes, areKnown: pending.isEmpty)
    let isNew = pending.contains { $0.name.hasPrefix("runner/") }
    let number = isNew ? nil : try await PartitionNumber(of: database).current()
    if let partitions, partitions != number {
      parts.append(Planned(name: "the number of partitions", sql: "SELECT runner.set_partitions(\(partitions));"))
    }
    return parts + (try await rights(manifest, migrations, role, areKnown: pending.isEmpty))
  }

  private func people(_ manifest: Manifest, areKnown: Bool) async throws -> [Planned] {
    try await database.transaction(readOnly: true) { transaction in
      guard let people = PeopleElsewhere(of: manifest, in: transaction) else { return [] }
      var change = people.isElsewhere ? "people in another table" : nil
      if areKnown { change = try await people.change() }
      return change.map { [Planned(name: $0, sql: people.statement)] } ?? []
    }
  }

  private func rights(
    _ manifest: Manifest, _ migrations: [SchemaMigration], _ role: String?, areKnown: Bool
  ) async throws -> [Planned] {
    guard areKnown else {
      guard let role else { return [] }
      return [Planned(name: "the rights of \(role): they are shown when the tables are there", sql: "")]
    }
    let roles = ServingRoles(try await NeededRights(of: manifest, migrations, in: database), in: database)
    return try await roles.changes(granting: role).map { change in
      Planned(name: "the rights of \(change.role)", sql: change.statements.map { "\($0);" }.joined(separator: "\n"))
    }
  }

  private func triggers(_ manifest: Manifest, prunes: Bool, areKnown: Bool) async throws -> [Planned] {
    guard areKnown else {
      let tables = manifest.subscriptions.keys.map(\.description).sorted().joined(separator: ", ")
      guard !tables.isEmpty else { return [] }
      return [Planned(name: "the triggers on \(tables): they are shown when the tables are there", sql: "")]
    }
    return try await database.transaction(.repeatableRead, readOnly: true) { transaction in
      let triggers: [Planned] = try await TriggerPlan(manifest, on: transaction, prunes: prunes).steps.compactMap {
        step in
        switch step {
        case .make(let trigger): Planned(name: "trigger \(trigger.name) on \(trigger.table)", sql: trigger.sql)
        case .renew(let present, let trigger):
          Planned(name: present.described, sql: (present.removal.map { "\($0)\n" } ?? "") + trigger.sql)
        case .remove(let present): present.removal.map { Planned(name: present.described, sql: $0) }
        case .remember: nil
        }
      }
      let lost = try await LostTrigger.all(in: transaction).filter(\.isOurs).map {
        Planned(name: "trigger \($0.name) on \($0.table)", sql: $0.sql)
      }
      return triggers + lost
    }
  }
}

extension PresentTrigger {
  /// Where it is, and why it goes with its function.
  fileprivate var described: String { stranger.map { "\(place), which is \($0)'s table" } ?? place }
}
