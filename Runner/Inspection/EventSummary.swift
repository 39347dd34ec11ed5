package import Documents
import FoundationEssentials
package import FunctionKit
package import Postgres
import Queue

extension EventSummary {
  package init(_ row: Row) throws(PostgresError) {
    self.init(
      id: try row.decode("public_id"), at: try row.decode("at"), function: try row.decode("function"),
      kind: try row.decode("kind"), key: try row.optional("key"), state: try row.decode("state"),
      attempts: try row.decode("attempts"), crashes: try row.decode("crashes"), code: try row.optional("code"),
      error: try row.optional("error"), runAt: try row.optional("run_at"), endedAt: try row.optional("ended_at"),
      partition: try row.optional("partition"), number: try row.optional("id"),
      milliseconds: try row.optional("milliseconds"))
  }

  /// All that is known of the event, as one document.
  ///
  /// - Parameter body: the event as its function got it, with redacted members null; `nil` if it is no longer kept.
  package func document(_ attempts: [EventAttempt], body: RawJSON?) throws -> RawJSON {
    RawJSON(
      object: try JSONCoding.encode(self).members.map { ($0.name, $0.value) }.filter { $0.0 != "attempts" } + [
        ("attempts", try JSONCoding.encode(attempts)), ("event", body ?? .null),
      ])
  }

  /// The statement that reads the events of one state.
  ///
  /// - Parameters:
  ///   - hidden: the functions whose keys are redacted values.
  ///   - part: a part of the state's table, as a table or a query in parentheses.
  package static func select(
    _ state: State, where condition: SQL, hidingKeysOf hidden: [String], from part: SQL? = nil
  ) -> SQL {
    let (events, history): (SQL, SQL) = (part ?? "runner.events", part ?? "runner.history")
    let place: SQL = """
      \(EventID.column) AS public_id, e.partition, e.id, e.at, e.function,
      CASE WHEN e.function <> ALL (\(hidden)) THEN e.key END AS key
      """
    return switch state {
    case .waiting, .running:
      "SELECT 'waiting' AS state, \(place), \(queued), 0 AS attempts, 0 AS crashes, NULL AS code, NULL AS error,"
        + " NULL::timestamptz AS run_at, NULL::timestamptz AS ended_at, NULL::float8 AS milliseconds"
        + " FROM \(events) AS e WHERE \(condition)"
    case .retrying:
      "SELECT 'retrying' AS state, \(place), \(queued), e.attempt AS attempts, e.crashes, e.code, e.error,"
        + " e.run_at, NULL::timestamptz AS ended_at, NULL::float8 AS milliseconds"
        + " FROM runner.retries AS e WHERE \(condition)"
    case .dead:
      "SELECT 'dead' AS state, \(place), \(queued), e.attempts, e.crashes, e.code, e.error,"
        + " NULL::timestamptz AS run_at, e.died_at AS ended_at, NULL::float8 AS milliseconds"
        + " FROM runner.dead_letters AS e WHERE \(condition)"
    case .done:
      "SELECT 'done' AS state, \(place), \(ended) FROM \(history) AS e WHERE e.code = 'OK' AND \(condition)"
    case .failed:
      """
      SELECT 'failed' AS state, \(place), \(ended) FROM \(history) AS e
      WHERE e.code <> 'OK' AND NOT EXISTS (
        SELECT 1 FROM runner.history AS l
        WHERE l.partition = e.partition AND l.id = e.id AND l.recorded_at > e.recorded_at
      ) AND NOT EXISTS (
        SELECT 1 FROM runner.events AS o WHERE o.partition = e.partition AND o.id = e.id
      ) AND NOT EXISTS (
        SELECT 1 FROM runner.retries AS r WHERE r.partition = e.partition AND r.id = e.id
      ) AND NOT EXISTS (
        SELECT 1 FROM runner.dead_letters AS d WHERE d.partition = e.partition AND d.id = e.id
      ) AND \(condition)
      """
    }
  }

  private static let queued: SQL = "\(QueuedEvent.kind) AS kind"

  private static let ended: SQL = """
    e.kind, CASE WHEN e.id IS NULL THEN 1 ELSE (
      SELECT count(*) FROM runner.history AS a WHERE a.partition = e.partition AND a.id = e.id) END AS attempts,
    0 AS crashes, e.code, e.error, NULL::timestamptz AS run_at, e.ended_at,
    e.duration_us::float8 / 1000 AS milliseconds
    """
}

extension EventSummary.State: PostgresDecodable {}
