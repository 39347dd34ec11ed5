package import Postgres

/// How many partitions the queue of a database has, and how many runners share them.
package struct PartitionNumber<Database: SQLExecutor> {
  let database: Database

  package init(of database: Database) {
    self.database = database
  }

  package func current() async throws(PostgresError) -> Int {
    try await database.query("SELECT runner.partitions() AS number").only().decode("number")
  }

  /// Moves what waits to as many partitions, a power of two up to 256; all leases end.
  ///
  /// - Returns: how many there were before.
  func change(to number: Int) async throws(PostgresError) -> Int {
    let before = try await current()
    _ = try await database.query("SELECT runner.set_partitions(\(number)::int)")
    return before
  }

  /// A sentence if there are more runners with the same functions than partitions, else `nil`.
  ///
  /// - Parameters:
  ///   - functions: only groups with one of these count.
  ///   - more: how many runners are about to join.
  package func shortage(_ functions: [String], joining more: Int = 0) async throws(PostgresError) -> String? {
    let row = try await database.query(
      """
      SELECT runner.partitions() AS number, coalesce(max(r.count), 0)::int AS runners FROM (
        SELECT count(*) FROM runner.runners
        WHERE expires_at > clock_timestamp() AND (functions IS NULL OR functions && \(functions)) GROUP BY grp
      ) AS r
      """
    ).only()
    let (number, runners): (Int, Int) = (try row.decode("number"), try row.decode("runners") + more)
    guard runners > number else { return nil }
    return """
      \(runners) runners share \(number) partitions, so \(runners - number) of them \(runners - number == 1 ? "gets" : "get") \
      no events: runner migrate --partitions \(min(256, number * 2)) makes more.
      """
  }
}
