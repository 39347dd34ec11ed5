import CLI
import FoundationEssentials
package import Postgres

/// A transaction that has been open for longer than a second.
///
/// It may hold events that are invisible until its COMMIT, or a snapshot that keeps old rows.
package struct OpenTransaction: Encodable, Equatable {
  package var process: Int
  package var application: String
  package var user: String
  /// Seconds since it began.
  var age: Double
  /// Such as `idle in transaction`; empty if this user may not see it.
  package var state: String
  /// When its last statement began.
  var queryStart: Date?
  /// The partitions in which it has written events; its COMMIT makes them visible.
  package var partitions: [Int]

  /// The connection, the transaction's age and its state, as the beginning of a sentence.
  package var phrase: String {
    let name = application.isEmpty ? user : "\(application), user \(user)"
    let doing = state.isEmpty ? "" : ", \(state)\(queryStart.map { " since \(TimeText.of($0))" } ?? "")"
    return "connection \(process) (\(name)), open for \(TimeText.length(age))\(doing),"
  }

  /// The open transactions of other connections to the database, the oldest first, at most five.
  package static func all(_ database: Connection) async throws(PostgresError) -> [OpenTransaction] {
    try await database.query(
      """
      SELECT pid, application_name, coalesce(usename, '') AS usename, coalesce(state, '') AS state, query_start,
        extract(epoch FROM clock_timestamp() - xact_start)::float8 AS age, ARRAY(
          SELECT substring(c.relname FROM 11)::int FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
          WHERE l.pid = a.pid AND l.locktype = 'relation' AND l.mode = 'RowExclusiveLock'
            AND c.relnamespace = 'runner'::regnamespace AND c.relname LIKE 'partition\\_%' ORDER BY 1) AS partitions
      FROM pg_stat_activity AS a
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL) AND xact_start < clock_timestamp() - interval '1 second'
      ORDER BY xact_start LIMIT 5
      """
    ).map { row throws(PostgresError) in
      OpenTransaction(
        process: try row.decode("pid"), application: try row.decode("application_name"),
        user: try row.decode("usename"), age: try row.decode("age"), state: try row.decode("state"),
        queryStart: try row.optional("query_start"), partitions: try row.decode("partitions"))
    }
  }
}
