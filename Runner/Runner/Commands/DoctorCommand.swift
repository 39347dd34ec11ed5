import FunctionKit
import Glibc
import Postgres

/// `runner doctor`: everything that has to be there, a line each, and what to do where it is not.
struct DoctorCommand {
  private let context: CommandContext
  private var project: Project { context.project }

  private struct Finding: Encodable {
    var check: String
    var ok: Bool
    /// Whether it works as it is, but may surprise.
    var warning = false
    var detail: String

    var mark: String { !ok ? "MISSING" : warning ? "warning" : "ok" }
  }

  init(_ words: Words) throws {
    context = try CommandContext(words)
  }

  func run() async throws -> Int32 {
    var findings = [Finding(check: "functions.json", ok: true, detail: "\(project.manifest.functions.count) functions")]
    findings += executables()
    findings += variables()
    findings.append(runner())
    findings += await database()
    var table = Table(["", "check", "detail"], flexible: ["detail"])
    for finding in findings { table.add([finding.mark, finding.check, finding.detail]) }
    try context.answer(findings, text: table.text)
    return findings.allSatisfy(\.ok) ? 0 : FunctionError.Code.misconfigured.exitStatus
  }

  private func executables() -> [Finding] {
    let others = project.manifest.services.map(\.name) + project.manifest.commands.map(\.executable)
    let paths = project.manifest.functions.map(project.executable(of:)) + others.map(project.executable)
    let missing = Set(paths).filter { access($0, X_OK) != 0 }.sorted()
    guard !missing.isEmpty else {
      return [Finding(check: "executables", ok: true, detail: project.executables)]
    }
    return missing.map {
      Finding(check: "executable", ok: false, detail: "\($0) cannot be run: build with make build")
    }
  }

  private func variables() -> [Finding] {
    let environment = FunctionEnvironment(
      databaseURL: "", services: RunnerState.read(project)?.environment ?? [:])
    let hint = project.manifest.services.isEmpty ? "" : "; a service may offer it"
    return project.manifest.functions.compactMap { function in
      let missing = environment.missing(for: function)
      guard !missing.isEmpty else { return nil }
      return Finding(
        check: "environment", ok: true, warning: true,
        detail: "\(function.name) asks for \(missing.joined(separator: ", ")), not set here\(hint)")
    }
  }

  private func runner() -> Finding {
    guard let state = RunnerState.serving(project) else {
      return Finding(check: "runner", ok: true, detail: "not serving; start it with Runner/up or runner serve")
    }
    return Finding(check: "runner", ok: true, detail: "serving at \(state.url), process \(state.pid)")
  }

  private func database() async -> [Finding] {
    let url: String
    do {
      url = try Environment.current().databaseURL(in: project)
    } catch {
      return [Finding(check: "database", ok: true, detail: "the local one is started with the runner")]
    }
    do {
      guard try await !Pooler.sharesSessions(of: url) else {
        return [Finding(check: "database", ok: false, detail: Pooler.advice)]
      }
      return try await context.withDatabase(url: url, named: "runner doctor") { database in
        let version = try await database.query("SELECT current_setting('server_version') AS version").only()
        return [Finding(check: "database", ok: true, detail: "PostgreSQL \(version["version"] ?? "")")]
          + (try await connections(database)) + (try await schema(database))
      }
    } catch {
      return [Finding(check: "database", ok: false, detail: "\(error)")]
    }
  }

  /// Each process may hold a connection, and the runner has some of its own.
  private func connections(_ database: Connection) async throws(PostgresError) -> [Finding] {
    let row = try await database.query(
      """
      SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most
      """
    ).only()
    let (most, wanted): (Int, Int) = (try row.decode("most"), project.manifest.concurrency + 10)
    guard wanted > most else { return [] }
    return [
      Finding(
        check: "connections", ok: true, warning: true,
        detail: "the database takes \(most), and \"concurrency\" \(project.manifest.concurrency) may need \(wanted)")
    ]
  }

  private func schema(_ database: Connection) async throws(PostgresError) -> [Finding] {
    let known = try await database.query("SELECT to_regclass('runner.migrations') IS NOT NULL AS here").only()
    guard try known.decode("here", as: Bool.self) else {
      return [Finding(check: "schema", ok: false, detail: "not there: runner migrate")]
    }
    let applied = Set(try await database.query("SELECT name FROM runner.migrations").decode("name", as: String.self))
    let pending = Migrator.all.map(\.name).filter { !applied.contains($0) }
    let counts = try await database.query(
      """
      SELECT (SELECT count(*) FROM runner.events) AS waiting, (SELECT count(*) FROM runner.retries) AS retries,
        (SELECT count(*) FROM runner.dead_letters) AS dead
      """
    ).only()
    let (waiting, retries, dead) = (counts["waiting"] ?? "", counts["retries"] ?? "", counts["dead"] ?? "")
    return [
      Finding(
        check: "schema", ok: pending.isEmpty,
        detail: pending.isEmpty ? "up to date" : "\(pending.count) migrations to run: runner migrate"),
      Finding(
        check: "events", ok: true, detail: "\(waiting) waiting, \(retries) to be retried, \(dead) dead letters"),
    ]
  }
}
