import CLI
import Export
import FunctionKit
import Gateway
import Glibc
import Inspection
import Lifecycle
import Manifest
import Metrics
import Postgres

/// `runner doctor`: checks everything that has to be there, a line each, and says what to do if it is missing.
struct DoctorCommand {
  private static let replicas = Option.number(
    "--replicas", "N", in: 1...1_000, "count connections for as many runners as this (those that serve now)")
  private static let engine = Option<ExportEngine>.choice(
    "--engine", "ENGINE", "what the bundle loses on an engine of runner export")

  static let spec = CommandSpec(
    "doctor", "check settings, tables, triggers and connections",
    [replicas, Reply.option], [engine.required, Reply.option],
    notes: """
      exit: 0 nothing is missing, but there may be warnings; 78 something is missing.

      runner doctor SUBJECT [options] is a doctor that functions.json has.
      """, run: { try await Self($0).run() })

  let context: CommandContext
  /// How many runners are to share the database; nil for those that do now.
  let replicas: Int?
  /// The engine whose gaps are asked for, instead of the state of things here.
  private let engine: ExportEngine?
  var project: Project { context.project }

  init(_ arguments: CommandArguments) throws {
    replicas = arguments[Self.replicas]
    engine = arguments[Self.engine]
    context = try CommandContext(arguments)
  }

  func run() async throws -> Int32 {
    if let engine {
      let losses = engine.losses(of: try Deployment(of: project.manifest))
      return try context.answer(
        losses.map { $0.isRefusal ? .missing($0.subject, $0.text) : .warning($0.subject, $0.text) })
    }
    var findings: [Finding] = [.ok("functions.json", "\(project.manifest.functions.count) functions")]
    findings += executables()
    findings += variables()
    findings += dotEnv()
    if let advice = GatewayAccess.advice(project.environment) { findings.append(.warning("key", "\(advice)")) }
    findings += await subjects()
    findings += services()
    findings += await runner()
    findings += await database()
    return try context.answer(findings)
  }

  private func executables() -> [Finding] {
    let others = project.manifest.services.map(\.name) + project.manifest.commands.map(\.executable)
    let paths =
      project.manifest.functions.filter { $0.target == nil }.map(project.executable(of:))
      + others.map(project.executable)
    let missing = Set(paths).filter { access($0, X_OK) != 0 }.sorted()
    guard !missing.isEmpty else {
      return [.ok("executables", project.executables)]
    }
    return missing.map {
      .missing("executable", "\($0) cannot be run: build with make build")
    }
  }

  private func variables() -> [Finding] {
    let environment = project.functionEnvironment()
    let hint = project.manifest.services.isEmpty ? "" : "; a service may offer it"
    return project.manifest.functions.compactMap { function in
      if let problem = environment.problemOfTarget(function, of: project) { return .missing("target", problem) }
      let missing = environment.missing(for: function)
      guard !missing.isEmpty else { return nil }
      return .warning(
        "environment", "\(function.name) asks for \(missing.joined(separator: ", ")), not set here\(hint)")
    }
  }

  /// Whether everybody can read the file with the secrets.
  private func dotEnv() -> [Finding] {
    let path = "\(project.directory)/.env"
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IROTH != 0 else { return [] }
    return [.warning(".env", "every user of this machine can read it: chmod 600 '\(path)'")]
  }

  /// The services that are neither started nor replaced by the real thing.
  private func services() -> [Finding] {
    let manifest = project.manifest
    let serving = RunnerState.serving(project).flatMap { $0.uses(try? project.databaseURL()) ? $0 : nil }
    let missing =
      serving.map { state in manifest.services.filter { state.missing.contains($0.name) } }
      ?? manifest.missingServices(isLocal: project.hasOwnDatabase, project.environment)
    return missing.map { .missing("service", "\($0.name): \($0.absence)") }
  }

  private func runner() async -> [Finding] {
    do { try ServingClaim.refuseOthers(project) } catch { return [.warning("runner", error.message)] }
    guard let state = RunnerState.serving(project) else {
      return [.ok("runner", "not serving; start it with Runner/up or runner serve")]
    }
    let serving = Finding.ok("runner", "serving at \(state.url), process \(state.pid)")
    guard let report = await RunnerReport.ask(project) else { return [serving] }
    let paused = report.functions.compactMap { function -> Finding? in
      if let outage = function.outage {
        return .missing("target", "\(function.name): \(outage) Its events wait and lose no attempt")
      }
      return function.paused.map { .missing("paused", "\(function.name): \($0.code): \($0.message)") }
    }
    let interrupted = report.functions.filter { !$0.interrupted.isEmpty }.map { function in
      Finding.warning(
        "batch",
        "\(function.name): a process ended with a batch; \(function.interrupted.count) of its events wait to run alone")
    }
    let disorder =
      report.outOfOrder == 0
      ? []
      : [
        Finding.warning(
          "order", "the runner took \(report.outOfOrder) events after a newer one of their key: this is a bug")
      ]
    let findings = [serving] + paused + interrupted + disorder
    guard report.overtaken > 0 || !report.suspects.isEmpty else { return findings }
    let suspects = report.suspects.isEmpty ? "" : "; it looks again at \(report.suspects.joined(separator: ", "))"
    let overtaken = Finding.warning(
      "overtaken",
      "the runner had passed by \(report.overtaken) events, and has run them later: this is a bug\(suspects)")
    return findings + [overtaken]
  }

  private func database() async -> [Finding] {
    let url: String
    do {
      url = try project.databaseURL()
    } catch {
      return [.ok("database", "the local one is started with the runner")]
    }
    do {
      guard try await !Pooler.sharesSessions(of: url) else {
        return [.missing("database", Pooler.advice)]
      }
      let functions = try project.functionDatabaseURL()
      if functions != url, try await Pooler.surprisesFunctions(at: functions) {
        return [.missing("database", Pooler.functionAdvice)]
      }
      return try await context.withDatabase(url: url, named: "runner doctor") { database in
        let version = try await database.query("SELECT current_setting('server_version') AS version").only()
        return [Finding.ok("database", "PostgreSQL \(version["version"] ?? "")")]
          + (try await clocks(database)) + (try await connectionBudget(database)) + (try await schema(database))
      }
    } catch let error as PostgresError where error.code == .connection {
      return [.missing("database", error.openingFailure)]
    } catch {
      return [.missing("database", "\(error)")]
    }
  }
}
