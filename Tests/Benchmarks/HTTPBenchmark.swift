import EventLoop
import HTTPClient
import TestSupport

/// Calls of `echo` through the runner, with warm workers and with a process for each call.
///
/// They are compared with nginx that gives a static answer, with nginx that gets this answer from another process, as
/// the runner does, and with a loop that only starts the same process with the same event.
struct HTTPBenchmark {
  let effort: Effort

  private static let warmUp = Duration.milliseconds(500)
  private static let crowd = 32
  private static let warmProcesses = 2

  private enum Subject: Int, CaseIterable {
    case oneShot, warm, nginx, proxy, oneShotCrowd, warmCrowd, nginxCrowd, proxyCrowd

    var what: String { "\(Self.names[rawValue % 4]), \(connections) at a time" }
    var function: String { ["one-shot", "warm", "static", "static"][rawValue % 4] }
    var connections: Int { rawValue < 4 ? 1 : crowd }
    var isYardstick: Bool { rawValue % 4 >= 2 }

    private static let names = ["one-shot", "warm", "nginx's static answer", "nginx before another nginx"]
  }

  func findings() async throws -> [Finding] {
    let nginx = try await Nginx.start()
    let proxy = try await Nginx.start(before: nginx)
    let results = try await withServedProject(manifest: Self.manifest) { try await measure($0, nginx, proxy) }
    for server in [proxy, nginx] { try await server.stop() }
    return Self.findings(results.calls, results.cpu, spawns: Samples(results.spawns).p50)
  }

  private func measure(
    _ project: ServedProject, _ nginx: Nginx, _ proxy: Nginx
  ) async throws -> (calls: [LoadResult], cpu: [Duration], spawns: [Double]) {
    let spawning = try await Self.spawnLoop(project)
    let loads = [project.port, nginx.port, proxy.port].map { HTTPLoad(port: $0) }
    defer { loads.forEach { $0.loop.stop() } }
    func used(by server: Int) throws -> Duration {
      let processes = [[project.runner.processID], [nginx.processID], [proxy.processID, nginx.processID]][server]
      return try processes.reduce(.zero) { try $0 + ProcessFigures.time(ofFamily: $1) }
    }
    let time = effort.choose(quick: Duration.milliseconds(500), normal: .seconds(2), long: .seconds(10))
    var calls = Subject.allCases.map { _ in LoadResult() }
    var cpu = Subject.allCases.map { _ in Duration.zero }
    var spawns: [Double] = []
    // All take turns, so that everything else on the machine affects all alike.
    for _ in 0..<effort.choose(quick: 1, normal: 3) {
      for subject in Subject.allCases {
        let server = max(0, subject.rawValue % 4 - 1)
        let before = try used(by: server)
        calls[subject.rawValue] += try await loads[server].run(
          function: subject.function, connections: subject.connections, warmUp: Self.warmUp, time: time)
        // The calls for warming up are not counted.
        cpu[subject.rawValue] += (try used(by: server) - before) * (time / (time + Self.warmUp))
      }
      spawns.append(try spawning.run(processes: Self.crowd, for: time))
    }
    return (calls, cpu, spawns)
  }

  /// The loop with the event that a call makes, which `echo` gives back.
  private static func spawnLoop(_ project: ServedProject) async throws -> SpawnLoop {
    let client = HTTPClient()
    let call = HTTPCall(
      .post, "http://127.0.0.1:\(project.port)/functions/v1/one-shot", headers: [("Content-Type", "application/json")],
      body: Array(HTTPLoad.body.utf8))
    return try SpawnLoop("echo", input: try await client.send(call).text)
  }

  private static func findings(_ results: [LoadResult], _ cpu: [Duration], spawns: Double) -> [Finding] {
    let samples = results.map { Samples($0.milliseconds) }
    let calls = Subject.allCases.map { subject in
      let (sample, result) = (samples[subject.rawValue], results[subject.rawValue])
      return Finding(
        what: "http: \(subject.what)", p50: sample.p50, p99: sample.p99, perSecond: result.perSecond,
        isYardstick: subject.isYardstick, goal: subject == .warmCrowd ? .perSecondAtLeast(35_000) : nil)
    }
    let rate = { (subject: Subject) in results[subject.rawValue].perSecond }
    let cost = { (subject: Subject) in
      cpu[subject.rawValue] / .microseconds(1) / Double(results[subject.rawValue].milliseconds.count)
    }
    return calls + [
      Finding(what: "http: a bare spawn loop, \(crowd) at a time", perSecond: spawns, isYardstick: true),
      Finding(
        what: "http: warm against one-shot, \(crowd) at a time", ratio: rate(.warmCrowd) / rate(.oneShotCrowd),
        limits: [.ratioAtLeast(10)]),
      Finding(
        what: "http: warm against nginx, \(crowd) at a time", ratio: rate(.warmCrowd) / rate(.nginxCrowd),
        limits: [.ratioAtLeast(0.15)]),
      Finding(
        what: "http: µs of CPU time a warm call, of runner and function, against nginx, \(crowd) at a time",
        ratio: cost(.warmCrowd) / cost(.nginxCrowd), value: cost(.warmCrowd), limits: [.ratioAtMost(8)],
        goal: .ratioAtMost(2.5)),
      Finding(
        what: "http: µs of CPU time a call of nginx before another nginx, of both, against nginx, \(crowd) at a time",
        ratio: cost(.proxyCrowd) / cost(.nginxCrowd), value: cost(.proxyCrowd),
        isYardstick: true),
      Finding(
        what: "http: warm against nginx, p50, 1 at a time",
        ratio: samples[Subject.warm.rawValue].p50 / samples[Subject.nginx.rawValue].p50, limits: [.ratioAtMost(4)],
        goal: .ratioAtMost(2)),
      Finding(
        what: "http: one-shot against the spawn loop, \(crowd) at a time", ratio: rate(.oneShotCrowd) / spawns,
        limits: [.ratioAtLeast(0.6)], goal: .ratioAtLeast(0.9)),
    ]
  }

  static var manifest: String {
    let echo = BuiltExecutables.path(of: "echo")
    // There is room for the warm processes beside all of the others: as long as they are there, the kernel does not
    // have to count the program's pages again for each process. The spawn loop always had that, the calls did not.
    return """
      {"concurrency": \(crowd + warmProcesses), "functions": {
        "warm": {"mode": "warm", "executable": "\(echo)", "concurrency": \(warmProcesses)},
        "one-shot": {"mode": "oneshot", "executable": "\(echo)", "concurrency": \(crowd)}
      }}
      """
  }
}
