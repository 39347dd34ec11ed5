import Capture
import FoundationEssentials
import FunctionKit
import LocalPostgres
import Manifest
import Postgres

/// A PostgreSQL of its own with the bundle's tables, for tests of events: it is gone afterwards.
struct ReplayDatabase {
  private let folder: String
  private let server: LocalPostgres

  /// Runs the body with a new one.
  static func with<Answer>(_ project: Project, _ body: (ReplayDatabase) async throws -> Answer) async throws -> Answer {
    let folder = FileManager.default.temporaryDirectory.appending(path: "runner-test-\(RandomID.make())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { Self.remove(folder) }
    let server = try await LocalPostgres.start(project: folder)
    let answer: Answer
    do {
      let database = ReplayDatabase(folder: folder, server: server)
      try await database.withConnection { connection in
        _ = try await Migrator(database: connection, isOwn: true).migrate(project.manifest)
      }
      answer = try await body(database)
    } catch {
      _ = try? await server.stop()
      throw error
    }
    _ = try await server.stop()
    return answer
  }

  var url: String { server.url }

  /// Puts rows in, runs the body, and takes all rows of their tables out.
  ///
  /// No trigger runs and no foreign key is checked: the rows are as they were. Columns and tables that the bundle's
  /// migrations do not make are left out.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` if a row does not fit into its table.
  func holding<Answer>(
    _ tables: [(table: String, rows: [RawJSON])], of file: String, _ body: () async throws -> Answer
  ) async throws -> Answer {
    try await changing { transaction in
      for (table, rows) in tables {
        do {
          try await Self.insert(rows, into: table, transaction)
        } catch let error as PostgresError where ["22", "23"].contains(error.sqlState?.prefix(2)) {
          throw FunctionError(
            .invalidEvent, "\(file) is broken: a row does not fit into \(table): \(error.message)", cause: error)
        }
      }
    }
    let answer = try await body()
    try await changing { transaction in
      for (table, _) in tables where try await !Self.columns(of: table, transaction).isEmpty {
        _ = try await transaction.query("DELETE FROM public.\(identifier: table)")
      }
    }
    return answer
  }

  private func changing(_ body: (Transaction) async throws -> Void) async throws {
    try await withConnection { connection in
      try await connection.transaction { transaction in
        try await transaction.script("SET LOCAL session_replication_role = replica")
        try await body(transaction)
      }
    }
  }

  /// The columns that can be written; empty if there is no such table.
  private static func columns(of table: String, _ transaction: Transaction) async throws -> [String] {
    try await transaction.query(
      """
      SELECT a.attname::text AS name FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid
      WHERE t.relnamespace = to_regnamespace('public') AND t.relname = \(table) AND t.relkind IN ('r', 'p')
        AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum
      """
    ).map { row throws(PostgresError) in try row.decode("name") }
  }

  private static func insert(_ rows: [RawJSON], into table: String, _ transaction: Transaction) async throws {
    let known = try await columns(of: table, transaction)
    for row in rows {
      let columns = known.filter { row[$0] != nil }
      guard let first = columns.first else { continue }
      let names = columns.dropFirst().reduce(SQL("\(identifier: first)")) { $0 + ", \(identifier: $1)" }
      _ = try await transaction.query(
        """
        INSERT INTO public.\(identifier: table) (\(names)) OVERRIDING SYSTEM VALUE
        SELECT \(names) FROM jsonb_populate_record(NULL::public.\(identifier: table), \(row.printable)::jsonb)
        ON CONFLICT DO NOTHING
        """)
    }
  }

  private func withConnection<Answer>(_ body: (Connection) async throws -> Answer) async throws -> Answer {
    let connection = Connection(url: url, applicationName: "runner test", statementTimeout: .seconds(120))
    let answer: Answer
    do { answer = try await body(connection) } catch {
      await connection.close()
      throw error
    }
    await connection.close()
    return answer
  }

  /// Root's cluster lies elsewhere: it is nobody's once its folder is gone.
  private static func remove(_ folder: String) {
    try? FileManager.default.removeItem(atPath: folder)
    for cluster in LeftCluster.all() where cluster.project.hasSuffix(folder) { _ = try? cluster.delete() }
  }
}
