import EventLoop
import HTTPClient
import TestSupport

/// Calls of `echo` through the runner, with warm workers and with a process for each call.
///
/// They are compared with the time of nginx for a static answer, and with a loop that only starts the same process with
/// the same event.
struct HTTPBenchmark {
  let effort: Effort

  private static let warmUp = Duration.milliseconds(500)
  private static let crowd = 32
  private static let warmProcesses = 2

  private enum Subject: Int, CaseIterable {
    case oneShot, warm, nginx, oneShotCrowd, warmCrowd, nginxCrowd

    var what: String { "\(["one-shot", "warm", "nginx's static answer"][rawValue % 3]), \(connections) at a time" }
    var function: String { ["one-shot", "warm", "static"][rawValue % 3] }
    var connections: Int { rawValue < 3 ? 1 : crowd }
    var isNginx: Bool { self == .nginx || self == .nginxCrowd }
  }

  func findings() async throws -> [Finding] {
    let nginx = try await Nginx.start()
    let results = try await withServedProject(manifest: Self.manifest) { try await measure($0, nginx) }
    try await nginx.stop()
    return Self.findings(results.calls, results.cpu, spawns: Samples(results.spawns).p50)
  }

  private func measure(
    _ project: ServedProject, _ nginx: Nginx
  ) async throws -> (calls: [LoadResult], cpu: [Duration], spawns: [Double]) {
    let spawning = try await Self.spawnLoop(project)
    let loads = (runner: HTTPLoad(port: project.port), nginx: HTTPLoad(port: nginx.port))
    defer { [loads.runner, loads.nginx].forEach { $0.loop.stop() } }
    let time = effort.choose(quick: Duration.milliseconds(500), normal: .seconds(2), long: .seconds(10))
    var calls = Subject.allCases.map { _ in LoadResult() }
    var cpu = Subject.allCases.map { _ in Duration.zero }
    var spawns: [Double] = []
    // All take turns, so that everything else on the machine affects all alike.
    for _ in 0..<effort.choose(quick: 1, normal: 3) {
      for subject in Subject.allCases {
        let load = subject.isNginx ? loads.nginx : loads.runner
        let server = subject.isNginx ? nginx.processID : project.runner.processID
        let used = try ProcessFigures.time(ofFamily: server)
        calls[subject.rawValue] += try await load.run(
          function: subject.function, connections: subject.connections, warmUp: Self.warmUp, time: time)
        // The calls for warming up are not counted.
        cpu[subject.rawValue] += (try ProcessFigures.time(ofFamily: server) - used) * (time / (time + Self.warmUp))
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
        goal: subject == .warmCrowd ? .perSecondAtLeast(35_000) : nil)
    }
    let rate = { (subject: Subject) in results[subject.rawValue].perSecond }
    let cost = { (subject: Subject) in
      cpu[subject.rawValue] / .microseconds(1) / Double(results[subject.rawValue].milliseconds.count)
    }
    return calls + [
      Finding(what: "http: a bare spawn loop, \(crowd) at a time", perSecond: spawns),
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
