package import FunctionKit
import Glibc
package import Manifest
import Postgres
package import System

/// A project's own PostgreSQL: a durable cluster that stays between runs and listens on a private socket only.
package final class LocalPostgres: Sendable {
  /// The URI for libpq and `psql`; `.runner/database-url` has it, too.
  package let url: String

  package let dataDirectory: String

  let postmasterPID: pid_t

  /// Whether the server was already running.
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
  package static let database = "push_functions"

  /// Starts the project's server, or adopts it if it runs.
  ///
  /// Creates the cluster and the database if they are missing.
  ///
  /// - Parameters:
  ///   - project: The project's folder, which gets `.runner/`.
  ///   - environment: `PATH`, to find the server's programs, and `XDG_RUNTIME_DIR`, where an ordinary user's socket
  ///     goes.
  ///   - limit: How long all of it may take.
  /// - Throws: `FunctionError` if no such server can run here, else ``LocalPostgresError``, ``SystemError`` or
  ///   `PostgresError`.
  package static func start(
    project: String, environment: Environment = .current(), limit: Duration = .seconds(60)
  ) async throws -> LocalPostgres {
    do { return try await start(project, environment, until: ContinuousClock.now + limit) } catch let error
      as LocalPostgresError where error.code == .notInstalled
    {
      throw FunctionError(.misconfigured, error.description)
    }
  }

  @BlockingThread
  private static func start(
    _ project: String, _ environment: Environment, until deadline: ContinuousClock.Instant
  ) async throws -> LocalPostgres {
    let layout = try ClusterLayout(project: project)
    do { try layout.makeFolders() } catch let error as SystemError {
      throw FunctionError(
        .misconfigured, "DATABASE_URL is not set, and a database of the runner's own has no place here: \(error).")
    }
    let locks = try ClusterLocks(layout)
    guard try await Polling.wait(until: deadline, { locks.starting.take(.exclusive) && locks.using.take(.shared) })
    else { throw LocalPostgresError(.timedOut, "Another runner has been starting or stopping the database too long.") }
    defer { locks.starting.release() }

    let launch = ServerLaunch(layout: layout, environment: environment, deadline: deadline)
    let (server, socket, adopted) = try await launch.run()
    let postgres = LocalPostgres(layout: layout, locks: locks, server: server, socket: socket, adopted: adopted)
    do {
      try await postgres.makeDatabase(socket: socket, deadline: deadline)
      try TextFile.replace(layout.urlFile, with: postgres.url + "\n")
    } catch {
      // Its own task, because this one may be cancelled.
      _ = try? await Task { try await postgres.stop() }.value
      throw error
    }
    return postgres
  }

  /// The server's process, no matter which runner has started it; `nil` if none runs.
  package var process: ProcessID? {
    get async { await BlockingThread.run { Postmaster.running(in: dataDirectory)?.process } }
  }

  /// The fate of a server that its runner no longer needs.
  package enum StopResult: Sendable {
    case stopped
    /// Another runner uses it and will stop it.
    case leftToAnotherRunner
    /// It did not end in time, not even by an immediate shutdown.
    case stillRunning
  }

  /// Stops the server unless another runner uses it: by a fast shutdown, and after the limit by an immediate one.
  ///
  /// An immediate shutdown loses nothing that was committed. Call this once.
  package func stop(limit: Duration = .seconds(10)) async throws -> StopResult {
    try await Self.stop(layout, locks, limit: limit)
  }

  /// Stops the server of a cluster unless a runner uses it.
  ///
  /// Another process may have started it.
  package static func stop(
    _ layout: ClusterLayout, _ locks: ClusterLocks, limit: Duration = .seconds(10)
  ) async throws -> StopResult {
    try await stop(layout, locks, until: ContinuousClock.now + limit)
  }

  @BlockingThread
  private static func stop(
    _ layout: ClusterLayout, _ locks: ClusterLocks, until deadline: ContinuousClock.Instant
  ) async throws -> StopResult {
    guard try await Polling.wait(until: deadline, { locks.starting.take(.exclusive) }) else {
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

  /// Ends a server by a fast shutdown, and after the deadline by an immediate one; returns whether it has ended.
  package static func end(_ server: Postmaster, until deadline: ContinuousClock.Instant) async throws -> Bool {
    try await endNow(server, until: deadline)
  }

  @BlockingThread
  private static func endNow(_ server: Postmaster, until deadline: ContinuousClock.Instant) async throws -> Bool {
    defer { _ = waitpid(server.process, nil, WNOHANG) }
    server.send(SIGINT)
    if try await Polling.wait(until: deadline, { !server.isRunning }) { return true }
    server.send(SIGQUIT)
    return try await Polling.wait(until: ContinuousClock.now + .seconds(6)) { !server.isRunning }
  }

  /// Creates the functions' database unless it is there, which also proves that the server answers.
  ///
  /// A server that was adopted may be recovering from a crash. This waits for the end of that.
  func makeDatabase(socket: String, deadline: ContinuousClock.Instant) async throws {
    let maintenance = Connection(
      url: "postgresql://\(Self.user)@/postgres?host=\(socket)&port=\(SocketDirectory.port)",
      applicationName: "runner", connectTimeout: .seconds(5), statementTimeout: .seconds(30))
    do {
      try await maintenance.waitForServer(until: deadline)
      let found = try await maintenance.query("SELECT 1 FROM pg_database WHERE datname = \(Self.database)")
      if found.isEmpty { _ = try await maintenance.query("CREATE DATABASE \(unescaped: Self.database)") }
    } catch {
      await maintenance.close()
      throw error
    }
    await maintenance.close()
  }

  /// Runs a command that needs the project's own database, and starts the database for it if no runner serves.
  ///
  /// A database that does not exist is not created.
  package static func lending<Answer>(to project: Project, _ body: () async throws -> Answer) async throws -> Answer {
    let data = try ClusterLayout(project: project.directory).data
    guard project.hasOwnDatabase, access("\(data)/PG_VERSION", F_OK) == 0,
      Postmaster.running(in: data) == nil
    else { return try await body() }
    let postgres = try await start(project: project.directory)
    let answer: Answer
    do { answer = try await body() } catch {
      _ = try? await postgres.stop()
      throw error
    }
    _ = try await postgres.stop()
    return answer
  }
}
