package import Manifest
package import Postgres

/// The events and schedules in a database whose functions no longer exist.
package struct Leftovers<Database: SQLExecutor> {
  let manifest: Manifest
  let database: Database

  package init(manifest: Manifest, database: Database) {
    (self.manifest, self.database) = (manifest, database)
  }

  private var functions: [String] { manifest.functions.map(\.name) }

  /// A sentence for each function that has something left, and is in neither this `functions.json` nor another bundle.
  package func lines() async throws(PostgresError) -> [String] { try await events() + schedules() }

  private func events() async throws(PostgresError) -> [String] {
    let rows = try await database.query(
      """
      SELECT e.function, count(*) AS waiting
      FROM (SELECT function FROM runner.events UNION ALL SELECT function FROM runner.retries) AS e
      WHERE e.function <> ALL (\(functions)) AND \(isNobodys("e.function"))
      GROUP BY e.function ORDER BY e.function
      """)
    return try rows.map { row throws(PostgresError) in
      let (function, waiting): (String, Int) = (try row.decode("function"), try row.decode("waiting"))
      return
        "\(waiting) \(waiting == 1 ? "event waits" : "events wait") for \(function), which functions.json does not have."
    }
  }

  /// Whether no other bundle and no living runner has a function.
  private func isNobodys(_ function: SQL) -> SQL {
    """
    NOT EXISTS (SELECT FROM runner.triggers AS t WHERE t.bundle <> \(manifest.bundle) AND \(function) = ANY (t.functions))
    AND NOT EXISTS (SELECT FROM runner.schedules AS s WHERE s.bundle <> \(manifest.bundle) AND s.function = \(function))
    AND NOT EXISTS (
      SELECT FROM runner.runners AS r WHERE \(function) = ANY (r.functions) AND r.expires_at > clock_timestamp())
    """
  }

  /// Schedules of the bundle's own whose functions are gone.
  package func schedules() async throws(PostgresError) -> [String] {
    let rows = try await database.query(
      """
      SELECT name FROM runner.schedules
      WHERE bundle = \(manifest.bundle) AND function <> ALL (\(functions)) ORDER BY name
      """)
    return try rows.decode("name", as: String.self).map {
      "The schedule \($0) is of a function that functions.json does not have: runner migrate --prune forgets it."
    }
  }

  func forgetSchedules() async throws(PostgresError) {
    _ = try await database.query(
      "DELETE FROM runner.schedules WHERE bundle = \(manifest.bundle) AND function <> ALL (\(functions))")
  }
}
