import Capture
import FoundationEssentials
import FunctionKit
import Glibc
import Lifecycle
import LocalPostgres
import Manifest
import Postgres
import System

/// A PostgreSQL of its own with the bundle's tables, for tests of events: it is gone afterwards.
struct ReplayDatabase {
  private static let prefix = "runner-test-"
  /// The seconds after which a folder that nobody uses was left by a process that was killed.
  private static let youth = 600

  /// The database with the bundle's tables, which has no rows but those of the migrations.
  private let template: String

  /// Runs the body with a new one.
  ///
  /// If this process is killed, a guard stops the server, and the next start takes the
  /// folder away.
  static func with<Answer>(_ project: Project, _ body: (ReplayDatabase) async throws -> Answer) async throws -> Answer {
    await removeLeft()
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(prefix)\(RandomID.make())").path
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let guardKeeper = try await GuardKeeper(project: folder)
    let answer: Answer
    do {
      let server = try await LocalPostgres.start(project: folder)
      do {
        let database = ReplayDatabase(template: server.url)
        try await database.withConnection(server.url) { connection in
          _ = try await Migrator(database: connection, isOwn: true).migrate(tables(of: project.manifest))
        }
        answer = try await body(database)
      } catch {
        await end(server)
        throw error
      }
      await end(server)
    } catch {
      await remove(folder, guardKeeper)
      throw error
    }
    await remove(folder, guardKeeper)
    return answer
  }

  /// The manifest of the bundle's tables alone: an app's, which triggers and people may stand on, are not there.
  private static func tables(of manifest: Manifest) -> Manifest {
    var manifest = manifest
    (manifest.functions, manifest.elsewhere, manifest.people) = ([], [], nil)
    return manifest
  }

  // Tasks of their own, because this one may be cancelled.
  private static func end(_ server: LocalPostgres) async {
    let ending = Task { try await server.stop() }
    _ = try? await ending.value
  }

  private static func remove(_ folder: String, _ guardKeeper: GuardKeeper) async {
    let removal = Task { await remove(folder) }
    // A server that has not ended is the guard's, which ends it when this process is gone.
    if await removal.value { await guardKeeper.dismiss() }
  }

  /// Removes a folder with its cluster; `false` if that is used.
  private static func remove(_ folder: String) async -> Bool {
    guard let layout = try? ClusterLayout(project: folder) else { return false }
    if access(layout.runnerDirectory, F_OK) == 0 {
      guard let locks = try? ClusterLocks(layout), case .stopped? = try? await LocalPostgres.stop(layout, locks) else {
        return false
      }
      try? layout.delete(runtimeDirectory: Environment.current()["XDG_RUNTIME_DIR"])
    }
    return (try? FileManager.default.removeItem(atPath: folder)) != nil
  }

  /// Removes what processes of this user have left that were killed.
  private static func removeLeft() async {
    let place = FileManager.default.temporaryDirectory.path
    for name in Folder.names(in: place) where name.hasPrefix(prefix) {
      let folder = "\(place)/\(name)"
      var facts = stat()
      guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == geteuid(),
        time(nil) - facts.st_mtim.tv_sec > youth
      else { continue }
      _ = await remove(folder)
    }
  }

  /// Runs the body with the URL of a database that has these rows and no others in their tables, and drops it.
  ///
  /// No trigger runs and no foreign key is checked: the rows are as they were. Columns and tables that the bundle's
  /// migrations do not make are left out.
  ///
  /// - Throws: ``FunctionError/Code/invalidEvent`` if a row does not fit into its table.
  func holding<Answer>(
    _ tables: [(table: String, rows: [RawJSON])], of file: String, _ body: (_ url: String) async throws -> Answer
  ) async throws -> Answer {
    let name = "replay_\(RandomID.make().filter { $0.isLetter || $0.isNumber })"
    // Connections to the template would be in the way.
    let place = "/\(LocalPostgres.database)?"
    let (url, maintenance) = (
      template.replacing(place, with: "/\(name)?"), template.replacing(place, with: "/postgres?")
    )
    try await withConnection(maintenance) { connection in
      _ = try await connection.query(
        "CREATE DATABASE \(identifier: name) TEMPLATE \(identifier: LocalPostgres.database)")
    }
    let answer: Answer
    do {
      try await withConnection(url) { try await Self.fill($0, with: tables, of: file) }
      answer = try await body(url)
    } catch {
      try? await drop(name, maintenance)
      throw error
    }
    try await drop(name, maintenance)
    return answer
  }

  private func drop(_ name: String, _ maintenance: String) async throws {
    try await withConnection(maintenance) { connection in
      _ = try await connection.query("DROP DATABASE \(identifier: name) WITH (FORCE)")
    }
  }

  private static func fill(
    _ connection: Connection, with tables: [(table: String, rows: [RawJSON])], of file: String
  ) async throws {
    try await connection.transaction { transaction in
      try await transaction.script("SET LOCAL session_replication_role = replica")
      for (table, rows) in tables {
        let columns = try await columns(of: table, transaction)
        guard !columns.isEmpty else { continue }
        do {
          _ = try await transaction.query("DELETE FROM public.\(identifier: table)")
          try await insert(rows, into: table, columns, transaction)
        } catch let error as PostgresError where ["22", "23"].contains(error.sqlState?.prefix(2)) {
          throw FunctionError(
            .invalidEvent, "\(file) is broken: a row does not fit into \(table): \(error.message)", cause: error)
        }
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

  private static func insert(
    _ rows: [RawJSON], into table: String, _ known: [String], _ transaction: Transaction
  ) async throws {
    for row in rows {
      let columns = known.filter { row[$0] != nil }
      guard let first = columns.first else { continue }
      let names = columns.dropFirst().reduce(SQL("\(identifier: first)")) { $0 + ", \(identifier: $1)" }
      _ = try await transaction.query(
        """
        INSERT INTO public.\(identifier: table) (\(names)) OVERRIDING SYSTEM VALUE
        SELECT \(names) FROM jsonb_populate_record(NULL::public.\(identifier: table), \(row.printable)::jsonb)
        """)
    }
  }

  private func withConnection<Answer>(_ url: String, _ body: (Connection) async throws -> Answer) async throws -> Answer
  {
    let connection = Connection(url: url, applicationName: "runner test", statementTimeout: .seconds(120))
    let answer: Answer
    do { answer = try await body(connection) } catch {
      await connection.close()
      throw error
    }
    await connection.close()
    return answer
  }
}
