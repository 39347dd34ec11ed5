import Capture
import FunctionKit
import LocalPostgres
import Manifest
import Postgres
import System

/// The database of a server: a PostgreSQL of the project's own, or another one.
@RunnerLoop
final class ServerDatabase {
  private let options: Server.Options
  private let log: Log
  private var own: LocalPostgres?
  /// Where the runner itself connects.
  private(set) var url: String?
  /// Where functions connect: they may have a pooler.
  private(set) var functionURL: String?

  init(_ options: Server.Options, log: Log) {
    (self.options, self.log) = (options, log)
  }

  /// Whether stand-ins may be used with the database: it is the runner's own, or `--emulator` says that it is for
  /// tests.
  var isLocal: Bool { own != nil || options.emulates }

  /// Whether the runner may change the database: it is its own, or `--migrate` was given.
  var mayMigrate: Bool { options.migrates || own != nil }

  /// Starts the project's own PostgreSQL, or waits for the other one; returns its ``url``.
  func open(for project: Project, _ supervisor: Supervisor) async throws -> String {
    if project.hasOwnDatabase {
      let local = try await LocalPostgres.start(project: project.directory)
      own = local
      log.info("PostgreSQL is up", ["adopted": "\(local.adopted)", "data": local.dataDirectory])
      supervisor.start("postgres") { [self] in try await keep(project) }
    }
    let url = try own?.url ?? project.databaseURL()
    (self.url, functionURL) = (url, try own?.url ?? project.functionDatabaseURL())
    try await waitForServer(url)
    if !project.hasOwnDatabase, (try? await Pooler.sharesSessions(of: url)) == true {
      throw FunctionError(.misconfigured, "\(Pooler.advice).")
    }
    return url
  }

  /// Stops the project's own PostgreSQL.
  func close() async {
    do { _ = try await own?.stop() } catch {
      log.warning("PostgreSQL could not be stopped", ["error.cause": "\(error)"])
    }
  }

  /// Waits until the project's own PostgreSQL has ended; starts it first if it has.
  private func keep(_ project: Project) async throws {
    if let own, await own.process == nil { self.own = try await LocalPostgres.start(project: project.directory) }
    // Another runner may have started it again meanwhile: then it is another process.
    while !Task.isCancelled, let process = await own?.process { await ProcessEnd.reached(by: process) }
  }

  /// Waits for a database that starts or recovers; fails at once for any other reason.
  private func waitForServer(_ url: String) async throws {
    let database = Connection(url: url, applicationName: "runner")
    do {
      try await database.waitForServer(until: .now + .seconds(options.waitSeconds), orSilent: true) { [log, options] in
        log.warning("Waiting for the database", ["seconds": "\(options.waitSeconds)", "error.cause": "\($0)"])
      }
    } catch {
      await database.close()
      // A refusal, too, may be over later: a password is changed, a database restored. What starts servers tries again.
      throw (error as? PostgresError).map {
        FunctionError($0.code == .invalidURL ? .misconfigured : .unavailable, $0.openingFailure, cause: $0)
      } ?? error
    }
    await database.close()
  }

  /// Changes the database to what the manifest needs, if it may; throws if it may not and must.
  ///
  /// - Parameter hold: told which functions' events have to wait, and why.
  func migrate(_ manifest: Manifest, hold: @RunnerLoop ([String: String]) -> Void) async throws {
    guard let url else { return }
    let database = Connection(url: url, applicationName: "runner migrate", statementTimeout: .seconds(600))
    var report: Migrator.Report
    do {
      report = try await prepare(Migrator(database: database, isOwn: own != nil), manifest)
      if let note = try await lackOfRights(database, manifest.whole) { report.notes.append(note) }
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    hold(report.held)
    for note in report.notes { log.warning("The database differs from functions.json", ["note": note]) }
    if !report.migrations.isEmpty || !report.triggers.isEmpty {
      log.info(
        "The schema is up to date",
        ["migrations": "\(report.migrations.count)", "triggers": "\(report.triggers.count)"])
    }
  }

  /// In the runner's own database all triggers are its own, so it removes those that `functions.json` does not ask for.
  private func prepare(_ migrator: Migrator, _ manifest: Manifest) async throws -> Migrator.Report {
    let manifest = manifest.whole
    let prunes = own != nil
    guard mayMigrate else {
      let found = try await migrator.check(manifest)
      return Migrator.Report(notes: found.notes, held: found.held)
    }
    if let found = try? await migrator.check(manifest, prunes: prunes), !found.isBehind {
      return Migrator.Report(notes: found.notes, held: found.held)
    }
    return try await migrator.migrate(manifest, prunes: prunes, holds: true)
  }

  /// The rights that functions with the runner's own role lack: each of them says so itself when it runs, and waits.
  private func lackOfRights(_ database: Connection, _ manifest: Manifest) async throws -> String? {
    guard functionURL == url else { return nil }
    let role: String = try await database.query("SELECT current_user AS role").only().decode("role")
    let needed = try await NeededRights(of: manifest, in: database)
    let lacking = try await needed.ofFunctions(role).statements
    guard !lacking.isEmpty else { return try await needed.blindness(of: database)?.description }
    return "\(role) lacks rights that functions need. As the role that migrates: runner migrate --grant \(role)"
  }
}
