import Foundation
import FunctionKit
import Glibc
import HTTPClient
import Postgres
import TestSupport

/// A cluster, a network to it that can fail, runners that serve the bundle from it, and what stands between and beside
/// them.
final class Stage {
  let folder: TemporaryDirectory
  let cluster: PrivateCluster
  let link: DatabaseLink
  /// Past the network that can fail.
  let database: Connection
  /// Between the database and its clients, the runners themselves apart; nil where there is none.
  let pooler: PgBouncer?
  /// Nil where no clock is ever wrong.
  let clocks: Clocks?
  var target: TargetHost
  private(set) var runner: ServingRunner
  private(set) var second: ServingRunner?
  /// Runners that ended by themselves, or did not start: their last words.
  private(set) var ended: [String] = []
  /// The runner's count of events that its reading had overtaken; nil when it counts none.
  private(set) var overtaken: Int?
  /// The runner's count of events that it took after a newer one of their key; nil when it counts none.
  private(set) var disordered: Int?
  /// All runners there were, in the order of their starts.
  private(set) var programs: [RunningProgram] = []
  /// The variables of each runner.
  private let environment: [String: String]
  /// The marks by which the processes of this stage can be known.
  private var marks: Set<String>

  private var project: Project { Project(folder: folder.path) }

  private static let settings = """
    max_connections = 200
    max_prepared_transactions = 20
    track_commit_timestamp = on
    wal_writer_delay = 10s
    """

  /// - Parameter plan: says which of its parts there are.
  init(bundle: RawJSON, for plan: Plan) async throws {
    folder = try TemporaryDirectory()
    clocks = plan.hasClocks ? try await Clocks() : nil
    cluster = try await PrivateCluster(
      settings: Self.settings, disk: plan.steps.contains { $0.fault == .diskFull } ? 256 : nil,
      environment: clocks?.environment(of: .server) ?? [:])
    link = try DatabaseLink(to: cluster.url())
    pooler = plan.hasPooler ? try await PgBouncer(before: cluster.url(), sessions: 80) : nil
    database = Connection(url: cluster.url(), applicationName: "chaos", connectTimeout: .seconds(2))
    try await database.script(Scripts.tables)
    let project = Project(folder: folder.path)
    let ports = try Self.freePorts(4)
    let manifest = try project.manifest(of: bundle, ports: ports.dropLast(), target: ports[3])
    for (name, text) in project.scripts { try folder.write(text, to: name, mode: 0o700) }
    try folder.write(manifest, to: "functions.json")
    for name in ["second", "target"] {
      guard mkdir("\(folder.path)/\(name)", 0o700) == 0 else { throw SystemError("mkdir") }
    }
    try folder.write(manifest, to: "second/functions.json")
    try folder.write(project.targetManifest, to: "target/functions.json")
    marks = [folder.path, link.linkedURL]
    target = try await TargetHost("\(folder.path)/target", port: ports[3])
    environment = Self.environment(link, cluster, pooler, clocks)
    runner = try await ServingRunner.start(folder.path, ["--migrate", "--emulator"], environment: environment)
    try await database.script(Scripts.people)
    remember()
  }

  /// The URL by which everybody but the runners and the stage itself reaches the database.
  var clientURL: String { pooler?.url(of: cluster.url()) ?? cluster.url() }

  /// The variables of a runner.
  private static func environment(
    _ link: DatabaseLink, _ cluster: PrivateCluster, _ pooler: PgBouncer?, _ clocks: Clocks?
  ) -> [String: String] {
    var environment = clocks?.environment(of: .runners) ?? [:]
    environment["DATABASE_URL"] = pooler?.url(of: cluster.url()) ?? link.linkedURL
    if pooler != nil { environment["RUNNER_DATABASE_URL"] = link.linkedURL }
    return environment
  }

  /// Starts the runner again where it has ended, by a fault or by itself; gives up after half a minute.
  func keepServing() async throws {
    if let status = runner.program.ended, !runner.isKilled { note("ended with \(status)", runner.program) }
    guard runner.program.ended != nil else { return }
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      do {
        runner = try await ServingRunner.start(folder.path, ["--emulator"], environment: environment)
        return remember()
      } catch let failure as ServingRunner.Failure {
        note("did not start, \(failure.status.map { "exit \($0)" } ?? "still running")", failure.program)
        // Something that a dead runner has left may be what stops it.
        kill(processes().filter { $0.name == "push-emulator" })
        guard ContinuousClock.now < deadline else { throw ChaosError("The runner does not start again.") }
        try await Task.sleep(for: .seconds(1))
      }
    }
  }

  func killRunner() async throws {
    await lookForOvertaken()
    runner.isKilled = true
    runner.program.send(SIGKILL)
    try await runner.program.exit()
  }

  /// A second runner takes part, from a folder of its own.
  func join() async throws {
    let environment = try runner.offered().merging(environment) { $1 }
    do {
      second = try await ServingRunner.start(
        "\(folder.path)/second", ["--no-services", "--emulator"], environment: environment)
    } catch let failure as ServingRunner.Failure {
      note("did not start as the second, \(failure.status.map { "exit \($0)" } ?? "still running")", failure.program)
    }
    remember()
  }

  /// The second runner ends, by SIGKILL or in good order.
  func leave(bySignal signal: Int32) async throws {
    guard let second else { return }
    self.second = nil
    second.program.send(signal)
    try await waitForEnd(of: second.program)
  }

  /// Kills it where it does not come.
  private func waitForEnd(of program: RunningProgram) async throws {
    guard (try? await program.exit(within: .seconds(60))) == nil else { return }
    try Task.checkCancellation()
    note("had not ended after 60 s", program)
    program.send(SIGKILL)
    try await program.exit()
  }

  private func note(_ what: String, _ program: RunningProgram) {
    let words = program.lines.suffix(4).joined(separator: "\n    ")
    ended.append("A runner \(what):\n    \(words)")
  }

  /// Asks the runner for its figures, where it serves.
  func lookForOvertaken() async {
    let client = HTTPClient(limits: HTTPLimits(connect: .seconds(2), total: .seconds(5)))
    for url in [runner.url, second?.url].compactMap(\.self) {
      guard let answer = try? await client.send(HTTPCall(.get, "\(url)/metrics")) else { continue }
      if let count = Self.count("push_runner_events_overtaken_total", in: answer.text) {
        overtaken = (overtaken ?? 0) + count
      }
      if let count = Self.count("push_runner_order_broken_total", in: answer.text) {
        disordered = (disordered ?? 0) + count
      }
    }
  }

  private static func count(_ name: String, in metrics: String) -> Int? {
    let line = metrics.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) }
  }

  /// The processes of this stage's runners, themselves included.
  func processes() -> [RunningProcess] {
    let marks = marks
    return RunningProcess.all().filter { process in marks.contains { process.isMarked(by: $0) } }
  }

  func guards() -> [RunningProcess] { processes().filter { $0.arguments.dropFirst().first == "guard" } }

  /// Takes down the runners there are, and the guards of all.
  ///
  /// A guard knows no folder: it is known by the id that its runner's other processes carry, too.
  func remember() {
    let started = [runner, second].compactMap { $0?.program }
    programs += started.filter { program in !programs.contains { $0 === program } }
    let runners = (started + [target.program]).map(\.processID)
    for process in RunningProcess.all() where runners.contains(process.parent) {
      guard process.arguments.dropFirst().first == "guard", process.arguments.count > 3 else { continue }
      marks.insert(process.arguments[3])
    }
  }

  func kill(_ processes: [RunningProcess]) { processes.forEach { _ = Glibc.kill($0.id, SIGKILL) } }

  /// Ends the runners as a plan says, and names the processes that stay.
  ///
  /// Where the guard is killed too, nothing is left that could end a process that has begun a session of its own.
  func end(_ ending: Plan.Ending) async throws -> [String] {
    remember()
    let programs = [runner, second].compactMap { $0?.program } + [target.program]
    let guards = guards()
    for program in programs { program.send(ending == .stopped ? SIGTERM : SIGKILL) }
    if ending == .killedWithGuard { kill(guards) }
    for program in programs { try await waitForEnd(of: program) }
    let deadline = ContinuousClock.now + .seconds(ending == .stopped ? 5 : 8)
    func left() -> [RunningProcess] { processes().filter { ending != .killedWithGuard || $0.name != "sleep" } }
    while !left().isEmpty, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(100)) }
    return left().map { "after \(ending.rawValue): \($0.arguments.prefix(3).joined(separator: " "))" }
  }

  /// Ends everything that is there.
  func clear() async {
    runner.isKilled = true
    // First the processes that start others.
    kill(guards())
    while case let left = processes(), !left.isEmpty {
      kill(left)
      try? await Task.sleep(for: .milliseconds(20))
    }
    await database.close()
  }

  private static func freePorts(_ count: Int) throws -> [UInt16] {
    let listeners = try (0..<count).map { _ in try Sockets.listen() }
    defer { listeners.forEach { close($0.socket) } }
    return listeners.map(\.port)
  }
}
