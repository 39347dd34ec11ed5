import FunctionKit
import Postgres

/// An index that a migration makes, on a table that is large already.
///
/// It is made before the migration, under a name that says so, and gets its own name in the migration's transaction: where
/// that fails, or its process dies, the name is what tells it from an index of the app's.
struct LargeIndex: Sendable, Encodable, Equatable {
  var name: String
  var table: String
  /// Makes it while the table is written to.
  var sql: String
  /// The name that it has until its migration has run.
  var earlyName: String { Self.earlyName(name) }
  /// Whether there is something of its own name, or making it came to no end.
  var isUseless = false
  /// The unfinished index that is left of it, by its name in SQL; empty where there is none.
  var place = ""

  static func earlyName(_ name: String) -> String { "runner_early_\(name)" }

  /// Gives it its own name; where somebody else has made it meanwhile, or it is not whole when this runs, it goes.
  var naming: String {
    """
    DO $$ DECLARE place regclass; BEGIN
      FOR place IN SELECT indexrelid FROM pg_index
        WHERE NOT indisvalid AND indexrelid IN (to_regclass('\(name)'), to_regclass('\(earlyName)'))
      LOOP EXECUTE format('DROP INDEX %s', place); END LOOP;
    END $$;
    \(isUseless ? "DROP INDEX IF EXISTS \(earlyName)" : "ALTER INDEX IF EXISTS \(earlyName) RENAME TO \(name)");
    """
  }

  /// The indexes of a migration, each a statement of its own.
  static func all(of migration: SchemaMigration) -> [LargeIndex] {
    var indexes: [LargeIndex] = []
    var statement: [Substring] = []
    for line in migration.allLines {
      let begins = line.hasPrefix("CREATE INDEX IF NOT EXISTS ") || line.hasPrefix("CREATE UNIQUE INDEX IF NOT EXISTS ")
      guard begins || !statement.isEmpty else { continue }
      statement.append(line)
      guard line.contains(";") else { continue }
      let text = statement.joined(separator: "\n")
      guard text.firstIndex(of: ";") == text.indices.last else {
        statement = []
        continue
      }
      let words = text.split { $0 == " " || $0 == "\n" }.map(String.init)
      statement = []
      guard let place = words.firstIndex(of: "ON"), words.indices.contains(place + 1) else { continue }
      let name = words[place - 1]
      let sql = text.replacing(
        "INDEX IF NOT EXISTS \(name)", with: "INDEX CONCURRENTLY IF NOT EXISTS \(earlyName(name))", maxReplacements: 1)
      indexes.append(LargeIndex(name: name, table: words[place + 1], sql: sql))
    }
    return indexes
  }

  /// The table's columns that it is made of, among those that the table has to have.
  fileprivate func columns(_ shape: SchemaShape) -> [String] {
    let words = Set(sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    return (shape.tables[table] ?? []).map(\.name).filter(words.contains)
  }
}

extension Migrator {
  /// The errors of an index whose column, function or table is not there yet, or has another type.
  private static let needsItsMigration: Set = ["42703", "42883", "42P01", "42P17"]

  /// Makes what indexes it can before the migration, which would keep everybody from writing to their tables meanwhile.
  ///
  /// One migrator after the other does this: what another has begun would look like something left by one that died.
  func makeLargeIndexes(_ migrations: [SchemaMigration]) async throws {
    guard try await !largeIndexes(migrations).isEmpty else { return }
    let builder = database.another(statementTimeout: .seconds(86_400))
    // It is asked for again and again: a session that waits for a lock keeps an index from being finished.
    let lock: SQL = "SELECT pg_try_advisory_lock(\(AdvisoryLock.change), 1) AS got"
    while try await !builder.query(lock).only().decode("got", as: Bool.self) {
      try await Task.sleep(for: .milliseconds(200))
    }
    do {
      for index in try await largeIndexes(migrations) {
        if !index.place.isEmpty { try await builder.script("DROP INDEX CONCURRENTLY IF EXISTS \(index.place);") }
        do throws(PostgresError) { try await builder.script(index.sql) } catch {
          // It needs what its migration makes first; then that makes it.
          guard Self.needsItsMigration.contains(error.sqlState ?? "") else { throw error }
        }
      }
    } catch {
      await builder.close()
      throw error
    }
    await builder.close()
  }

  /// Gives the indexes that were made early their own names, in the transaction of their migrations.
  ///
  /// - Returns: the names.
  func nameEarlyIndexes(_ pending: [SchemaMigration], _ transaction: Transaction) async throws -> [String] {
    let indexes = try await earlyIndexes(pending, transaction)
    for index in indexes { try await transaction.script(index.naming) }
    return indexes.filter { !$0.isUseless }.map(\.name)
  }

  /// The indexes of some migrations that were made early.
  func earlyIndexes(
    _ pending: [SchemaMigration], _ database: some SQLExecutor
  ) async throws(PostgresError) -> [LargeIndex] {
    let indexes = pending.flatMap(LargeIndex.all)
    let rows = try await database.query(
      """
      SELECT i.number, NOT x.indisvalid OR EXISTS (
          SELECT FROM pg_class AS o WHERE o.relname = i.name AND o.relnamespace = c.relnamespace) AS is_useless
      FROM \(.rows("i", ["name": "\(indexes.map(\.name))", "early": "\(indexes.map(\.earlyName))"], numbered: "number"))
      JOIN pg_class AS c ON c.oid = to_regclass(i.early) JOIN pg_index AS x ON x.indexrelid = c.oid
      ORDER BY i.number
      """)
    return try rows.map { row throws(PostgresError) in
      var index = indexes[try row.decode("number", as: Int.self) - 1]
      index.isUseless = try row.decode("is_useless")
      return index
    }
  }

  /// Indexes of migrations to come, of tables with more than a megabyte that have all columns for them.
  func largeIndexes(_ migrations: [SchemaMigration]) async throws -> [LargeIndex] {
    let state = try await SchemaState(of: database, migrations, isOwn: isOwn)
    try state.checkVersion()
    let shape = SchemaShape(of: migrations).leaving(try await Namesakes(of: migrations, in: database).leftAlone)
    let indexes = state.pending.flatMap(LargeIndex.all)
    let wanted: SQL = .rows(
      "i",
      [
        "name": "\(indexes.map(\.name))", "early": "\(indexes.map(\.earlyName))", "tab": "\(indexes.map(\.table))",
        "columns": "\(indexes.map { $0.columns(shape).joined(separator: " ") })",
      ], numbered: "number")
    let rows = try await database.query(
      """
      SELECT i.number, coalesce(n.oid::regclass::text, '') AS place FROM \(wanted)
      JOIN pg_class AS c ON c.oid = to_regclass(i.tab) AND c.relkind = 'r' AND pg_relation_size(c.oid) > 1048576
      LEFT JOIN LATERAL (
        SELECT n.oid, x.indisvalid FROM pg_class AS n LEFT JOIN pg_index AS x ON x.indexrelid = n.oid
        WHERE n.relname IN (i.name, i.early) AND n.relnamespace = c.relnamespace
        ORDER BY x.indisvalid LIMIT 1
      ) AS n ON true
      WHERE (n.oid IS NULL OR NOT n.indisvalid) AND i.columns <> '' AND NOT EXISTS (
        SELECT FROM unnest(string_to_array(i.columns, ' ')) AS w (col) WHERE NOT EXISTS (
          SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = w.col AND NOT a.attisdropped))
      ORDER BY i.number
      """)
    return try rows.map { row in
      var index = indexes[try row.decode("number", as: Int.self) - 1]
      index.place = try row.decode("place")
      return index
    }
  }
}
