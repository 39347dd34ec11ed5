import Foundation
import Glibc

/// PgBouncer in transaction mode before the private PostgreSQL server, on a socket of its own.
package final class PgBouncer: Sendable {
  private let program: RunningProgram
  private let directory: String

  /// Starts it, and waits until it listens.
  ///
  /// - Parameter sessions: how many of the server's sessions all clients of a database share.
  package init(sessions: Int = 2) async throws {
    directory = try TemporaryCluster.makeDirectory()
    let cluster = try TemporaryCluster.shared.get()
    let settings = """
      [databases]
      * = host=\(cluster.directory) user=postgres
      [pgbouncer]
      pool_mode = transaction
      default_pool_size = \(sessions)
      max_client_conn = 1000
      listen_addr =
      listen_port = 5432
      unix_socket_dir = \(directory)
      auth_type = any
      \(TemporaryCluster.user == nil ? "" : "user = postgres")

      """
    try Data(settings.utf8).write(to: URL(fileURLWithPath: "\(directory)/pgbouncer.ini"))
    program = try RunningProgram(try BuiltExecutables.installed("pgbouncer"), ["\(directory)/pgbouncer.ini"])
    try await program.line { $0.contains("process up") }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The URL by which a database of the server is reached through it.
  ///
  /// - Parameter isSaid: whether the URL says so itself.
  package func url(of database: String, isSaid: Bool = true) -> String {
    let name = database.dropFirst("postgresql:///".count).prefix { $0 != "?" }
    return "postgresql:///\(name)?host=\(directory)&user=postgres\(isSaid ? "&pgbouncer=true" : "")"
  }
}
