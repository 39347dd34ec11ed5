package import FunctionKit
import Glibc
import System

/// A project's own PostgreSQL: a durable cluster that is kept between runs and listens on a private socket only.
package final class LocalPostgres: Sendable {
  /// Where to connect, as a URI that libpq and `psql` take; also the content of `.runner/database-url`.
  package let url: String

  /// The cluster's data folder.
  package let dataDirectory: String

  /// The server's process id.
  let postmasterPID: pid_t

  /// Whether the server ran already.
  package let adopted: Bool

  private let layout: ClusterLayout
  private let locks: ClusterLocks

  private init(layout: ClusterLayout, locks: ClusterLocks, server: Postmaster, socket: String, adopted: Bool) {
    url = "postgresql://\(Self.user)@/\(Self.database)?host=\(socket)&port=\(SocketDirectory.port)"
    dataDirectory = layout.data
    postmasterPID = server.process
    self.adopted = adopted
    self.layout = layout
    self.locks = locks
  }

  /// The cluster's superuser.
  static let user = "postgres"

  /// The database that the functions use.
  static let database = "push_functions"

  /// Starts the project's server, or adopts it where it runs; makes the cluster and the database where they are missing.
  ///
  /// - Parameters:
  ///   - project: The project's folder; `.runner/` is made in it.
  ///   - environment: `PATH`, to find the server's programs, and `XDG_RUNTIME_DIR`, where an ordinary user's socket goes.
  ///   - limit: How long all of it may take.
  /// - Throws: ``LocalPostgresError``, ``SystemError`` or `PostgresError`.
  package static func start(
    project: String, environment: Environment = .current(), limit: Duration = .seconds(60)
  ) async throws -> LocalPostgres {
    let deadline = ContinuousClock.now + limit
    let layout = try ClusterLayout(project: project)
    try layout.makeFolders()
    let locks = try ClusterLocks(layout)
    guard try await Patience.wait(until: deadline, { locks.starting.take(.exclusive) && locks.using.take(.shared) })
    else { throw LocalPostgresError(.timedOut, "Another runner has been starting or stopping the database for long.") }
    defer { locks.starting.release() }

    let launch = ServerLaunch(layout: layout, environment: environment, deadline: deadline)
    let (server, socket, adopted) = try await launch.run()
    let postgres = LocalPostgres(layout: layout, locks: locks, server: server, socket: socket, adopted: adopted)
    do {
      try await postgres.makeDatabase(socket: socket, deadline: deadline)
      try TextFile.replace(layout.urlFile, with: postgres.url + "\n")
    } catch {
      // In a task of its own: this one may have been cancelled.
      _ = try? await Task { try await postgres.stop() }.value
      throw error
    }
    return postgres
  }

  /// What became of the server when its runner had no more use for it.
  package enum StopResult: Sendable {
    case stopped
    /// Another runner uses it, and will stop it.
    case leftToAnotherRunner
    /// It did not end in time, not even asked for an immediate shutdown.
    case stillRunning
  }

  /// Stops the server, unless another runner uses it: a fast shutdown, after the limit an immediate one.
  ///
  /// An immediate shutdown loses nothing that was committed. To be called once.
  package func stop(limit: Duration = .seconds(10)) async throws -> StopResult {
    try await Self.stop(layout, locks, limit: limit)
  }

  /// Stops the server of a cluster, also one that another process has started, unless a runner uses it.
  package static func stop(
    _ layout: ClusterLayout, _ locks: ClusterLocks, limit: Duration = .seconds(10)
  ) async throws -> StopResult {
    let deadline = ContinuousClock.now + limit
    guard try await Patience.wait(until: deadline, { locks.starting.take(.exclusive) }) else {
      locks.using.release()
      return .leftToAnotherRunner
    }
    defer { locks.starting.release() }
    guard locks.using.take(.exclusive) else { return .leftToAnotherRunner }
    defer { locks.using.release() }
    unlink(layout.urlFile)
    guard let server = Postmaster.running(in: layout.data) else { return .stopped }
    return try await end(server, until: deadline) ? .stopped : .stillRunning
  }

  /// Ends a server: a fast shutdown, after the deadline an immediate one; whether it has ended.
  package static func end(_ server: Postmaster, until deadline: ContinuousClock.Instant) async throws -> Bool {
    defer { _ = waitpid(server.process, nil, WNOHANG) }
    server.send(SIGINT)
    if try await Patience.wait(until: deadline, { !server.isRunning }) { return true }
    server.send(SIGQUIT)
    return try await Patience.wait(until: ContinuousClock.now + .seconds(6)) { !server.isRunning }
  }
}
