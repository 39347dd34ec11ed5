import CLI
import Manifest
import Postgres

extension DoctorCommand {
  /// Whether the server has connections for all runners.
  func connectionBudget(_ database: Connection) async throws -> [Finding] {
    let row = try await database.query(
      """
      SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
        EXISTS (
          SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
          WHERE (n.nspname, c.relname) = ('runner', 'runners')
            AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')) AS begun
      """
    ).only()
    var living = 1
    if replicas == nil, try row.decode("begun") {
      living = try await database.query(
        "SELECT count(*)::int AS living FROM runner.runners WHERE expires_at > clock_timestamp()"
      ).only().decode("living")
    }
    let isPooled = Connection.expectsPooler(at: try project.functionDatabaseURL())
    let need = ConnectionNeed(
      replicas: max(1, replicas ?? living), functions: isPooled ? 0 : project.manifest.mostConnections)
    return [need.finding(most: try row.decode("most"))]
  }
}

/// How many connections to the database runners take at most.
struct ConnectionNeed {
  /// The runner's own: events, listener, clock, calls, history, metrics and two of the console; and two that commands
  /// and migrations open for moments.
  static let runner = 10

  var replicas: Int
  /// The connections of functions, of one runner; 0 where they share a pooler's connections.
  var functions: Int

  var each: Int { functions + Self.runner }
  var all: Int { replicas * each }

  func finding(most: Int) -> Finding {
    let parts = functions == 0 ? "functions use the pooler's" : "\(functions) of functions, \(Self.runner) its own"
    let runners = replicas == 1 ? "1 runner takes" : "\(replicas) runners take"
    let sum = "\(runners) up to \(all) connections (each \(each): \(parts))"
    guard all > most else { return .ok("connections", "\(sum), the database has \(most)") }
    return .warning(
      "connections",
      """
      \(sum), but the database has \(most): lower "concurrency", raise max_connections, or put a pooler before functions \
      (DATABASE_URL with pgbouncer=true, and RUNNER_DATABASE_URL)
      """)
  }
}

extension Manifest {
  /// The connections of functions at the same time, if those with the most run.
  fileprivate var mostConnections: Int {
    functions.filter { $0.target == nil && $0.environment.contains("DATABASE_URL") }
      .flatMap { Array(repeating: $0.connections, count: $0.concurrency) }
      .sorted(by: >).prefix(concurrency).reduce(0, +)
  }
}
