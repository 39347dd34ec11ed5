package import Foundation
import Glibc
import Synchronization

/// PgBouncer in transaction mode before a PostgreSQL server, on a socket of its own.
package final class PgBouncer: Sendable {
  private let program: Mutex<RunningProgram?> = Mutex(nil)
  private let directory: String

  /// Whether there is one on this machine.
  package static var isInstalled: Bool { (try? BuiltExecutables.installed("pgbouncer")) != nil }

  /// Starts it, and waits until it listens.
  ///
  /// - Parameters:
  ///   - url: of a database of the server; nil for the tests' private one.
  ///   - sessions: how many of the server's sessions all clients of a database share.
  package init(before url: String? = nil, sessions: Int = 2) async throws {
    directory = try TemporaryCluster.makeDirectory()
    let server = try url.map(Self.host) ?? TemporaryCluster.shared.get().directory
    let settings = """
      [databases]
      * = host=\(server) user=postgres
      [pgbouncer]
      pool_mode = transaction
      default_pool_size = \(sessions)
      max_client_conn = 1000
      server_login_retry = 1
      listen_addr =
      listen_port = 5432
      unix_socket_dir = \(directory)
      auth_type = any
      \(TemporaryCluster.user == nil ? "" : "user = postgres")

      """
    try Data(settings.utf8).write(to: URL(fileURLWithPath: "\(directory)/pgbouncer.ini"))
    try await start()
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The process.
  package var processID: pid_t? { program.withLock { $0?.processID } }

  /// Kills it.
  package func kill() async throws {
    guard let program = program.withLock({ $0.take() }) else { return }
    program.send(SIGKILL)
    try await program.exit()
  }

  /// Starts it after ``kill()``.
  package func start() async throws {
    // A killed one has left its socket.
    try? FileManager.default.removeItem(atPath: "\(directory)/.s.PGSQL.5432")
    let started = try RunningProgram(try BuiltExecutables.installed("pgbouncer"), ["\(directory)/pgbouncer.ini"])
    try await started.line { $0.contains("process up") }
    program.withLock { $0 = started }
  }

  /// The URL by which a database of the server is reached through it.
  ///
  /// - Parameter isSaid: whether the URL says so itself.
  package func url(of database: String, isSaid: Bool = true) -> String {
    let name = database.dropFirst("postgresql:///".count).prefix { $0 != "?" }
    return "postgresql:///\(name)?host=\(directory)&user=postgres\(isSaid ? "&pgbouncer=true" : "")"
  }

  private static func host(_ url: String) -> String {
    String(url.split(separator: "host=")[1].prefix { $0 != "&" })
  }
}
