import Manifest
import Postgres

/// The reasons against taking the runner's schema out of a database now.
struct RemovalHindrances<Database: SQLExecutor> {
  let manifest: Manifest
  let database: Database

  /// - Throws: `MigrationError` where a runner lives, and names it.
  func checkRunners() async throws {
    let hasNames = try await isThere("runners")
    let name: SQL =
      hasNames ? "(SELECT max(r.name) FROM runner.runners AS r WHERE r.holder = l.objid::int)" : "NULL::text"
    let runners: [String] = try await database.query(
      """
      SELECT concat_ws(', ', coalesce(\(name), 'a runner'), 'session ' || l.pid,
        'at ' || nullif(host(a.client_addr), '')) AS said
      FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
      LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.classid = \(AdvisoryLock.life) AND l.objsubid = 2 AND l.granted
        AND d.datname = current_database()
      ORDER BY 1
      """
    ).decode("said")
    guard !runners.isEmpty else { return }
    throw MigrationError(
      "A runner serves this database: \(runners.joined(separator: "; ")). End it first. Nothing was changed.")
  }

  /// - Throws: `MigrationError` where something waits that no function has had yet.
  func checkWork() async throws {
    var waiting: [String] = []
    for (table, what) in [("events", "waiting"), ("retries", "to be tried again"), ("wakeups", "to be woken")]
    where try await isThere(table) {
      let counts = try await database.query(
        "SELECT function, count(*) AS number FROM runner.\(identifier: table) GROUP BY function ORDER BY function")
      for row in counts {
        let (function, number): (String, Int) = (try row.decode("function"), try row.decode("number"))
        waiting.append("\(function), \(number) \(what)")
      }
    }
    waiting += try await queued()
    guard !waiting.isEmpty else { return }
    throw MigrationError(
      """
      Work waits that would be lost: \(waiting.joined(separator: "; ")). Let a runner end it, or say --force. Nothing was \
      changed.
      """)
  }

  /// The lines about queued rows, as the views of `metrics` with a column `state` count them.
  private func queued() async throws(PostgresError) -> [String] {
    let views: [String] = try await database.query(
      """
      SELECT format('%I.%I', n.nspname, c.relname) AS name
      FROM \(.rows("v", ["schema": "\(manifest.metrics.map(\.schema))", "name": "\(manifest.metrics.map(\.name))"]))
      JOIN pg_namespace AS n ON n.nspname = v.schema
      JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname = v.name
      WHERE 2 = (
        SELECT count(*) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname IN ('state', 'value'))
      ORDER BY 1
      """
    ).decode("name")
    var lines: [String] = []
    for view in views {
      let number: Int = try await database.query(
        "SELECT coalesce(sum(value), 0)::bigint AS number FROM \(unescaped: view) WHERE state = 'queued'"
      ).only().decode("number")
      if number > 0 { lines.append("\(view), \(number) queued") }
    }
    return lines
  }

  private func isThere(_ table: String) async throws(PostgresError) -> Bool {
    try await database.query("SELECT to_regclass(\("runner.\(table)")) IS NOT NULL AS yes").only().decode("yes")
  }
}
