import Postgres

/// The server process of a connection's session.
func processID(of connection: Connection) async throws -> Int {
  try await connection.query("select pg_backend_pid() as pid").only().decode("pid")
}

/// Ends a connection's session on the server, and returns when it is gone.
func terminate(_ connection: Connection, of url: String) async throws {
  let pid = try await processID(of: connection)
  let other = Connection(url: url, applicationName: "terminator")
  let row = try await other.query("select pg_terminate_backend(\(Int32(pid)), 10000) as gone").only()
  guard row["gone"] == "t" else { throw StillThere() }
}

struct StillThere: Error {}

extension Connection {
  /// Waits until a condition holds on the server; the statement timeout is its limit.
  func waits(until condition: String) async throws {
    try await script(
      """
      do $$ begin
        while not (\(condition)) loop
          perform pg_sleep(0.005), pg_stat_clear_snapshot();
        end loop;
      end $$
      """)
  }
}
