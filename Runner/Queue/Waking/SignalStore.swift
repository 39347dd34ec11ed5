import Postgres

/// Signals for notified functions that stand in a table, where the server allows prepared transactions: such a
/// transaction may not execute NOTIFY.
struct SignalStore: Sendable {
  let database: Connection

  /// What one look found.
  struct Found: Sendable {
    /// The server's process that answered.
    var session: Int
    /// The functions that were signalled, each once.
    var functions: [String]
  }

  /// The most that one look takes.
  ///
  /// What has gathered while no runner was there is taken look by look.
  private static let most = 10_000

  /// Takes the signals of these functions out of the table.
  func take(_ functions: [String]) async throws(PostgresError) -> Found {
    let row = try await database.query(Self.deletion(of: functions)).only()
    return Found(session: try row.decode("session"), functions: try row.decode("functions"))
  }

  static func deletion(of functions: [String]) -> SQL {
    """
    WITH taken AS (
      DELETE FROM runner.signals WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM runner.signals WHERE function = ANY (\(functions)) LIMIT \(most)))
      RETURNING function
    )
    SELECT pg_backend_pid() AS session, ARRAY(SELECT DISTINCT function FROM taken ORDER BY 1) AS functions
    """
  }
}
