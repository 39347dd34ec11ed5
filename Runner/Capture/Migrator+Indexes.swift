import FunctionKit
import Postgres
import Schema

/// An index that a migration makes, on a table that is large already.
struct LargeIndex: Sendable, Encodable, Equatable {
  var name: String
  var table: String
  /// Makes it while the table is written to.
  var sql: String
  /// Whether making it has begun before, and came to no end.
  var isLeft = false

  /// The indexes of a migration, each a statement of its own.
  static func all(of migration: SchemaMigration) -> [LargeIndex] {
    var indexes: [LargeIndex] = []
    var statement: [Substring] = []
    for line in migration.sql.split(separator: "\n") {
      let begins = line.hasPrefix("CREATE INDEX IF NOT EXISTS ") || line.hasPrefix("CREATE UNIQUE INDEX IF NOT EXISTS ")
      guard begins || !statement.isEmpty else { continue }
      statement.append(line)
      guard line.hasSuffix(";") else { continue }
      let text = statement.joined(separator: "\n")
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
  /// Makes what indexes it can before the migration, which would keep everybody from writing to their tables meanwhile.
  ///
  /// One migrator after the other does this: what another has begun would look like something left by one that died.
  func makeLargeIndexes() async throws {
    guard try await !largeIndexes().isEmpty else { return }
    let builder = database.another(statementTimeout: .seconds(86_400))
    // It is asked for again and again: a session that waits for a lock keeps an index from being finished.
    while try await !builder.query("SELECT pg_try_advisory_lock(7265825, 1) AS got").only().decode("got", as: Bool.self)
    {
      try await Task.sleep(for: .milliseconds(200))
    }
    do {
      for index in try await largeIndexes() {
        if index.isLeft { try await builder.script("DROP INDEX CONCURRENTLY IF EXISTS \(quoted(index.name));") }
        try await builder.script(index.sql)
      }
    } catch {
      await builder.close()
      throw error
    }
    await builder.close()
  }

  /// Indexes of migrations to come, of tables with more than a megabyte that have all columns for them.
  func largeIndexes() async throws -> [LargeIndex] {
    let shape = SchemaShape()
    let indexes = try await SchemaState(of: database).pending.flatMap(LargeIndex.all)
    let rows = try await database.query(
      """
      SELECT i.number, n.oid IS NOT NULL AS is_left FROM unnest(
        \(indexes.map(\.name)), \(indexes.map(\.table)), \(indexes.map { $0.columns(shape).joined(separator: " ") })
      ) WITH ORDINALITY AS i (name, tab, columns, number)
      JOIN pg_class AS c ON c.oid = to_regclass(i.tab) AND c.relkind = 'r' AND pg_relation_size(c.oid) > 1048576
      LEFT JOIN pg_class AS n ON n.oid = to_regclass(i.name)
      LEFT JOIN pg_index AS x ON x.indexrelid = n.oid
      WHERE (n.oid IS NULL OR NOT x.indisvalid) AND NOT EXISTS (
        SELECT FROM unnest(string_to_array(i.columns, ' ')) AS w (col) WHERE NOT EXISTS (
          SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = w.col AND NOT a.attisdropped))
      ORDER BY i.number
      """)
    return try rows.map { row in
      var index = indexes[try row.decode("number", as: Int.self) - 1]
      index.isLeft = try row.decode("is_left")
      return index
    }
  }
}
