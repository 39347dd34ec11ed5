import FunctionKit
import Postgres

/// An index that a migration makes, on a table that is large already.
struct LargeIndex: Sendable, Encodable, Equatable {
  var name: String
  var table: String
  /// Makes it while the table is written to.
  var sql: String
  /// Whether making it has begun before, and came to no end.
  var isLeft = false
  /// The unfinished index that is left of it, by its name in SQL.
  var place = ""

  /// The indexes of a migration, each a statement of its own.
  static func all(of migration: SchemaMigration) -> [LargeIndex] {
    var indexes: [LargeIndex] = []
    var statement: [Substring] = []
    for line in migration.sql.split(separator: "\n") {
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
      let sql = text.replacing("INDEX IF NOT EXISTS", with: "INDEX CONCURRENTLY IF NOT EXISTS", maxReplacements: 1)
      indexes.append(LargeIndex(name: words[place - 1], table: words[place + 1], sql: sql))
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
  /// There is no such column, function or table.
  private static let needsItsMigration: Set = ["42703", "42883", "42P01"]

  /// Makes what indexes it can before the migration, which would keep everybody from writing to their tables meanwhile.
  ///
  /// One migrator after the other does this: what another has begun would look like something left by one that died.
  ///
  /// - Returns: the names of those that it has made.
  func makeLargeIndexes(_ migrations: [SchemaMigration]) async throws -> [String] {
    var made: [String] = []
    guard try await !largeIndexes(migrations).isEmpty else { return made }
    let builder = database.another(statementTimeout: .seconds(86_400))
    // It is asked for again and again: a session that waits for a lock keeps an index from being finished.
    let lock: SQL = "SELECT pg_try_advisory_lock(\(AdvisoryLock.change), 1) AS got"
    while try await !builder.query(lock).only().decode("got", as: Bool.self) {
      try await Task.sleep(for: .milliseconds(200))
    }
    do {
      for index in try await largeIndexes(migrations) {
        if index.isLeft { try await builder.script("DROP INDEX CONCURRENTLY IF EXISTS \(index.place);") }
        do throws(PostgresError) {
          try await builder.script(index.sql)
          made.append(index.name)
        } catch {
          // It needs what its migration makes first; then that makes it.
          guard Self.needsItsMigration.contains(error.sqlState ?? "") else { throw error }
        }
      }
    } catch {
      await builder.close()
      throw error
    }
    await builder.close()
    return made
  }

  /// Indexes of migrations to come, of tables with more than a megabyte that have all columns for them.
  func largeIndexes(
    _ migrations: [SchemaMigration]
  ) async throws -> [LargeIndex] {
    let shape = SchemaShape(of: migrations)
    let state = try await SchemaState(of: database, migrations)
    try state.checkVersion()
    let indexes = state.pending.flatMap(LargeIndex.all)
    let wanted: SQL = .rows(
      "i",
      [
        "name": "\(indexes.map(\.name))", "tab": "\(indexes.map(\.table))",
        "columns": "\(indexes.map { $0.columns(shape).joined(separator: " ") })",
      ], numbered: "number")
    let rows = try await database.query(
      """
      SELECT i.number, n.oid IS NOT NULL AS is_left, coalesce(n.oid::regclass::text, '') AS place FROM \(wanted)
      JOIN pg_class AS c ON c.oid = to_regclass(i.tab) AND c.relkind = 'r' AND pg_relation_size(c.oid) > 1048576
      LEFT JOIN pg_class AS n ON n.relname = i.name AND n.relnamespace = c.relnamespace
      LEFT JOIN pg_index AS x ON x.indexrelid = n.oid
      WHERE (n.oid IS NULL OR NOT x.indisvalid) AND i.columns <> '' AND NOT EXISTS (
        SELECT FROM unnest(string_to_array(i.columns, ' ')) AS w (col) WHERE NOT EXISTS (
          SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = w.col AND NOT a.attisdropped))
      ORDER BY i.number
      """)
    return try rows.map { row in
      var index = indexes[try row.decode("number", as: Int.self) - 1]
      index.isLeft = try row.decode("is_left")
      index.place = try row.decode("place")
      return index
    }
  }
}
