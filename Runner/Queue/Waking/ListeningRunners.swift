import Capture
package import Postgres

/// The runners that hear what is said on a database's channels, as any command sees them.
package enum ListeningRunners {
  /// A row with their numbers: each holds a lock of the session that listens.
  package static let holders: SQL = """
    SELECT ARRAY(SELECT l.objid::int FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
      WHERE l.locktype = 'advisory' AND l.classid = \(AdvisoryLock.life) AND l.objsubid = 2 AND l.granted
        AND d.datname = current_database()) AS holders
    """

  package static func isAny(on database: Connection) async throws(PostgresError) -> Bool {
    try await !database.query(holders).only().decode("holders", as: [Int].self).isEmpty
  }
}
