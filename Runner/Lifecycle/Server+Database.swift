import Capture
import FunctionKit
import LocalPostgres
import Manifest
import Postgres

extension Server {
  /// Waits for a database that starts or recovers; fails at once for any other reason.
  func waitForDatabase(_ url: String) async throws {
    let database = Connection(url: url, applicationName: "runner")
    do {
      try await database.waitForServer(until: .now + .seconds(options.waitSeconds), orSilent: true) { [log, options] in
        log.warning("Waiting for the database", ["seconds": "\(options.waitSeconds)", "error.cause": "\($0)"])
      }
    } catch {
      await database.close()
      // A refusal, too, may be over later: a password is changed, a database restored. What starts servers tries again.
      throw (error as? PostgresError).map { FunctionError(.unavailable, $0.openingFailure, cause: $0) } ?? error
    }
    await database.close()
  }

  /// Whether stand-ins may be used with the database: it is the runner's own, or `--emulator` says that it is for
  /// tests.
  package var isLocal: Bool { postgres != nil || options.emulates }

  /// The services that are neither started nor replaced by the real thing.
  var missingServices: [ServiceEntry] {
    project.manifest.missingServices(
      isLocal: isLocal, startsServices: options.startsServices, environment.own)
  }

  /// Whether the runner may change the database: it is its own, or `--migrate` was given.
  package var mayMigrate: Bool { options.migrates || postgres != nil }

  /// Changes the database to what the manifest needs, if it may; throws if it may not and must.
  func migrate(_ manifest: Manifest) async throws {
    guard let url = databaseURL else { return }
    let database = Connection(url: url, applicationName: "runner migrate", statementTimeout: .seconds(600))
    var report: Migrator.Report
    do {
      report = try await prepare(Migrator(database: database, isOwn: postgres != nil), manifest)
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
    let prunes = postgres != nil
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
    guard environment.databaseURL == databaseURL else { return nil }
    let role: String = try await database.query("SELECT current_user AS role").only().decode("role")
    let needed = try await NeededRights(of: manifest, in: database)
    let lacking = try await needed.ofFunctions(role).statements
    guard !lacking.isEmpty else { return try await needed.blindness(of: database)?.description }
    return "\(role) lacks rights that functions need. As the role that migrates: runner migrate --grant \(role)"
  }
}
