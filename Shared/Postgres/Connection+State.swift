import CPostgres

extension Connection {
  /// Whether a server is there.
  ///
  /// It may still refuse this client.
  package enum ServerState: Sendable {
    /// It takes connections.
    case up
    /// It is there but takes none now: it starts, stops or recovers.
    case rejecting
    /// Nothing answers.
    case silent
  }

  /// Asks the server in a connection of its own, which needs no right and no password.
  ///
  /// The server's words would not tell: they come in its own language.
  package func serverState() throws(PostgresError) -> ServerState {
    let string = try connectionString()
    return switch string.withParameters({ PQpingParams($0, $1, 0) }) {
    case PQPING_OK: .up
    case PQPING_REJECT: .rejecting
    default: .silent
    }
  }

  /// Whether a URL says that it leads through a pooler in transaction mode.
  package static func expectsPooler(at url: String) -> Bool { ConnectionString.takingPooling(from: url).isPooled }
}
