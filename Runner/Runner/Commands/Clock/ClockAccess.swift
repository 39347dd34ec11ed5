import FunctionKit
import Postgres

/// Whether a database's clock may be set.
///
/// A set clock makes reminders go out early and times in rows wrong, so it is only for a developer's database.
struct ClockAccess: Equatable {
  /// The host as libpq names it; a directory if the connection is a Unix socket.
  var host: String
  /// Whether the server, too, sees a Unix socket.
  ///
  /// A pooler's socket may lead to a server elsewhere.
  var isLocalToServer: Bool
  /// Whether it is the database that the runner keeps in the project's folder.
  var isOwn: Bool

  /// - Parameter anyLocal: whether the clock of another local database may be set, too.
  /// - Throws: ``FunctionError/Code/misconfigured`` with the reason.
  func check(anyLocal: Bool) throws(FunctionError) {
    guard host.hasPrefix("/") else {
      throw Self.refusal("it is reached over the network (\(host)), which may lead anywhere: use its Unix socket")
    }
    guard isLocalToServer else {
      throw Self.refusal("its server is reached over the network from behind the socket in \(host)")
    }
    guard isOwn || anyLocal else {
      throw Self.refusal("it is not the project's own: give --any-local-database if you mean it")
    }
  }

  private static func refusal(_ reason: String) -> FunctionError {
    FunctionError(.misconfigured, "The clock of this database is not set, because \(reason).")
  }
}

extension ClockAccess {
  /// Asks the server about a connection.
  init(_ database: Connection, isOwn: Bool) async throws(PostgresError) {
    let server = try await database.query("SELECT inet_server_addr() IS NULL AS local").only()
    self.init(host: try await database.host(), isLocalToServer: try server.decode("local"), isOwn: isOwn)
  }
}
