import CLI
import FunctionKit
import Glibc
import Inspection
import Lifecycle
import Manifest
import Metrics
import Postgres

/// `runner doctor`: everything that has to be there, a line each, and what to do where it is not.
struct DoctorCommand {
  private let context: CommandContext
  var project: Project { context.project }

  init(_ words: Words) throws {
    context = try CommandContext(words)
  }

  func run() async throws -> Int32 {
    var findings = [
      DoctorFinding(check: "functions.json", ok: true, detail: "\(project.manifest.functions.count) functions")
    ]
    findings += executables()
    findings += variables()
    findings += services()
    findings += await runner()
    findings += await database()
    var table = Table(["", "check", "detail"], flexible: ["detail"])
    for finding in findings { table.add([finding.mark, finding.check, finding.detail]) }
    try context.answer(findings, text: table.text)
    return findings.allSatisfy(\.ok) ? 0 : FunctionError.Code.misconfigured.exitStatus
  }

  private func executables() -> [DoctorFinding] {
    let others = project.manifest.services.map(\.name) + project.manifest.commands.map(\.executable)
    let paths = project.manifest.functions.map(project.executable(of:)) + others.map(project.executable)
    let missing = Set(paths).filter { access($0, X_OK) != 0 }.sorted()
    guard !missing.isEmpty else {
      return [DoctorFinding(check: "executables", ok: true, detail: project.executables)]
    }
    return missing.map {
      DoctorFinding(check: "executable", ok: false, detail: "\($0) cannot be run: build with make build")
    }
  }

  private func variables() -> [DoctorFinding] {
    let environment = project.functionEnvironment((try? project.databaseURL()) ?? "")
    let hint = project.manifest.services.isEmpty ? "" : "; a service may offer it"
    return project.manifest.functions.compactMap { function in
      let missing = environment.missing(for: function)
      guard !missing.isEmpty else { return nil }
      return DoctorFinding(
        check: "environment", ok: true, warning: true,
        detail: "\(function.name) asks for \(missing.joined(separator: ", ")), not set here\(hint)")
    }
  }

  /// What neither a service nor the real thing does.
  private func services() -> [DoctorFinding] {
    let manifest = project.manifest
    let serving = RunnerState.serving(project).flatMap { $0.uses(try? project.databaseURL()) ? $0 : nil }
    let missing =
      serving.map { state in manifest.services.filter { state.missing.contains($0.name) } }
      ?? manifest.missingServices(isLocal: project.hasOwnDatabase, project.environment)
    return missing.map { DoctorFinding(check: "service", ok: false, detail: "\($0.name): \($0.absence)") }
  }

  private func runner() async -> [DoctorFinding] {
    guard let state = RunnerState.serving(project) else {
      return [
        DoctorFinding(check: "runner", ok: true, detail: "not serving; start it with Runner/up or runner serve")
      ]
    }
    let serving = DoctorFinding(check: "runner", ok: true, detail: "serving at \(state.url), process \(state.pid)")
    guard let report = await RunnerReport.ask(project) else { return [serving] }
    let paused = report.functions.compactMap { function in
      function.paused.map { pause in
        DoctorFinding(check: "paused", ok: false, detail: "\(function.name): \(pause.code): \(pause.message)")
      }
    }
    guard report.overtaken > 0 || !report.suspects.isEmpty else { return [serving] + paused }
    let suspects = report.suspects.isEmpty ? "" : "; it looks again at \(report.suspects.joined(separator: ", "))"
    return [serving] + paused + [
      DoctorFinding(
        check: "overtaken", ok: true, warning: true,
        detail: "the runner had passed by \(report.overtaken) events, and has run them: a fault of its own\(suspects)")
    ]
  }

  private func database() async -> [DoctorFinding] {
    let url: String
    do {
      url = try project.databaseURL()
    } catch {
      return [DoctorFinding(check: "database", ok: true, detail: "the local one is started with the runner")]
    }
    do {
      guard try await !Pooler.sharesSessions(of: url) else {
        return [DoctorFinding(check: "database", ok: false, detail: Pooler.advice)]
      }
      return try await context.withDatabase(url: url, named: "runner doctor") { database in
        let version = try await database.query("SELECT current_setting('server_version') AS version").only()
        return [DoctorFinding(check: "database", ok: true, detail: "PostgreSQL \(version["version"] ?? "")")]
          + (try await connections(database)) + (try await schema(database))
      }
    } catch {
      return [DoctorFinding(check: "database", ok: false, detail: "\(error)")]
    }
  }

  /// Each process may hold a connection, and the runner has some of its own.
  private func connections(_ database: Connection) async throws(PostgresError) -> [DoctorFinding] {
    let row = try await database.query(
      """
      SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most
      """
    ).only()
    let (most, wanted): (Int, Int) = (try row.decode("most"), project.manifest.concurrency + 10)
    guard wanted > most else { return [] }
    return [
      DoctorFinding(
        check: "connections", ok: true, warning: true,
        detail: "the database takes \(most), and \"concurrency\" \(project.manifest.concurrency) may need \(wanted)")
    ]
  }
}

/// One thing that the doctor looked at.
struct DoctorFinding: Encodable {
  var check: String
  var ok: Bool
  /// Whether it works as it is, but may surprise.
  var warning = false
  var detail: String

  var mark: String { !ok ? "MISSING" : warning ? "warning" : "ok" }
}
