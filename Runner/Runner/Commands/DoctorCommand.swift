import CLI
import Capture
import Export
import FunctionKit
import Gateway
import Glibc
import Inspection
import Lifecycle
import Manifest
import Metrics
import Postgres

/// `runner doctor`: checks settings, tables, triggers and connections, and says what to do about each that is missing.
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

extension DoctorCommand {
  /// Whether the runner's role and that of functions, which may be another one, may do what they have to.
  ///
  /// - Returns: also whether the runner's is enough for the checks to come.
  func rights(_ database: Connection) async throws -> (findings: [Finding], areEnough: Bool) {
    let runner = try await Self.role(database)
    let needed = try await NeededRights(of: project.manifest, in: database)
    let other = try await ofFunctions(needed)
    let functions = other?.role ?? runner
    let blindness = if let other { other.blindness } else { try await needed.blindness(of: database) }
    let ofRunner = try await needed.ofRunner(runner)
    let ofFunctions = try await needed.ofFunctions(functions)
    let blind = blindness.map { [Finding.missing("rights", "\($0)")] } ?? []
    let missing = [ofRunner, ofFunctions].flatMap { Self.findings($0, Finding.missing) } + blind
    let warnings = Self.findings(try await needed.ofPrivateTables(functions), Finding.warning)
    let roles = runner == functions ? runner : "\(runner) and \(functions)"
    guard missing.isEmpty, warnings.isEmpty else { return (missing + warnings, ofRunner.statements.isEmpty) }
    return ([.ok("rights", "\(roles) may do what the runner and the functions do")], true)
  }

  /// A line for each statement, and how all of them are run at once.
  private static func findings(_ rights: MissingRights, _ finding: (String, String) -> Finding) -> [Finding] {
    rights.statements.map { finding("rights", "\(rights.role) lacks: \($0)") }
      + (rights.statements.isEmpty
        ? [] : [finding("rights", "all at once, as the role that migrates: runner migrate --grant \(rights.role)")])
  }

  private static func role(_ database: Connection) async throws(PostgresError) -> String {
    try await database.query("SELECT current_user AS role").only().decode("role")
  }

  /// The role of functions, and what keeps it from seeing rows; nil if functions connect as the runner does.
  private func ofFunctions(_ needed: NeededRights<Connection>) async throws -> (role: String, blindness: Blindness?)? {
    let url = try project.functionDatabaseURL()
    guard try url != project.databaseURL() else { return nil }
    return try await context.withDatabase(url: url, named: "runner doctor") { database in
      (try await Self.role(database), try await needed.blindness(of: database))
    }
  }
}

extension DoctorCommand {
  /// The faults of settings and texts that only the bundle's own doctors know, such as `doctor push`.
  private func subjects() async -> [Finding] {
    let doctors = BundleDoctors(project)
    var complaints = await doctors.complaints(.settings)
    if project.manifest.languages != nil { complaints += await doctors.complaints(.languages) }
    return complaints.map { $0.isWarning ? .warning($0.check, $0.detail) : .missing($0.check, $0.detail) }
  }
}
