import Capture
import FunctionKit
package import Postgres
import Queue

/// What is done with events that are not tried again by themselves.
package struct DeadLetters {
  let database: Connection

  package init(database: Connection) {
    self.database = database
  }

  /// Puts them back to be tried again at once under their ids, as if they had never failed; gives their ids.
  package func replay(_ filter: EventFilter) async throws -> [String] {
    try await change(
      """
      WITH gone AS (DELETE FROM runner.dead_letters AS e WHERE \(filter.condition(of: .dead)) RETURNING e.*), back AS (
        INSERT INTO runner.retries (\(CaptureSQL.columns), attempt, crashes, run_at, code, error)
        SELECT \(CaptureSQL.columns), 0, 0, runner.now(), code, error FROM gone
      )
      SELECT \(EventID.column) AS public_id FROM gone AS e
      """)
  }

  /// Deletes them for good; gives their ids.
  ///
  /// - Parameter limit: if more match, nothing is deleted, and an error gives their number, to be confirmed.
  package func purge(_ filter: EventFilter, atMost limit: Int) async throws -> [String] {
    try await change(
      """
      WITH gone AS (DELETE FROM runner.dead_letters AS e WHERE \(filter.condition(of: .dead)) RETURNING e.*)
      SELECT \(EventID.column) AS public_id FROM gone AS e
      """, atMost: limit)
  }

  /// The statement and the signals to the runners are one transaction.
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
}
