import Capture
import Documents
package import FoundationEssentials
import FunctionKit
package import Postgres
import Queue

/// Retries or deletes dead letters.
package struct DeadLetters {
  let database: Connection

  package init(database: Connection) {
    self.database = database
  }

  /// Makes them due at once under their old ids, with attempts and crashes at 0; returns the ids.
  package func retry(_ filter: EventFilter) async throws -> [String] {
    try await change(
      """
      WITH gone AS (DELETE FROM runner.dead_letters AS e WHERE \(filter.condition(of: .dead)) RETURNING e.*), back AS (
        INSERT INTO runner.retries (\(CaptureSQL.columns), attempt, crashes, run_at, code, error)
        SELECT \(CaptureSQL.columns), 0, 0, runner.now(), code, error FROM gone
      )
      SELECT \(EventID.column) AS public_id FROM gone AS e
      """)
  }

  /// Deletes them and returns their ids.
  ///
  /// - Parameter limit: if more match, nothing is deleted, and the error gives their number.
  package func purge(_ filter: EventFilter, atMost limit: Int) async throws -> [String] {
    try await change(
      """
      WITH gone AS (DELETE FROM runner.dead_letters AS e WHERE \(filter.condition(of: .dead)) RETURNING e.*)
      SELECT \(EventID.column) AS public_id FROM gone AS e
      """, atMost: limit)
  }

  /// Runs the statement and notifies the runners, in one transaction.
  private func change(_ statement: SQL, atMost limit: Int = .max) async throws -> [String] {
    try await database.transaction { transaction in
      let ids = try await transaction.query(statement).decode("public_id", as: String.self)
      guard ids.count <= limit else {
        throw FunctionError(.usage, "That would delete \(ids.count) dead letters; confirm with --yes.")
      }
      if !ids.isEmpty {
        _ = try await transaction.query(
          "SELECT \(ControlWord.unblocked.notify), pg_notify('runner_events', '')")
      }
      return ids
    }
  }

  /// How many match, no further than a number, and the events' time.
  package func count(
    _ filter: EventFilter, atMost most: Int
  ) async throws(PostgresError) -> (number: Int, now: Date) {
    let row = try await database.query(
      """
      SELECT count(*) AS number, runner.now() AS now
      FROM (SELECT 1 FROM runner.dead_letters AS e WHERE \(filter.condition(of: .dead)) LIMIT \(most)) AS d
      """
    ).only()
    return (try row.decode("number"), try row.decode("now"))
  }
}
