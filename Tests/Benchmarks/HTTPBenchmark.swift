import EventLoop
import TestSupport

/// Calls of `echo` through the runner: with warm workers, and with a process for each call.
struct HTTPBenchmark {
  private static let rounds = 3
  private static let time = Duration.seconds(2)
  private static let warmUp = Duration.milliseconds(500)

  private static let calls: [(what: String, function: String, connections: Int)] = [
    ("one-shot, 1 at a time", "one-shot", 1), ("warm, 1 at a time", "warm", 1),
    ("one-shot, 32 at a time", "one-shot", 32), ("warm, 32 at a time", "warm", 32),
  ]

  func findings() async throws -> [Finding] {
    try await withServedProject(manifest: Self.manifest) { project in
      let load = HTTPLoad(port: project.port)
      var results = Self.calls.map { _ in LoadResult() }
      // All take turns, so that whatever else the machine does hits all alike.
      for _ in 0..<Self.rounds {
        for (index, call) in Self.calls.enumerated() {
          results[index] += try await load.run(
            function: call.function, connections: call.connections, warmUp: Self.warmUp, time: Self.time)
        }
      }
      load.loop.stop()
      return Self.findings(results)
    }
  }

  private static func findings(_ results: [LoadResult]) -> [Finding] {
    var findings = zip(calls, results).map { call, result in
      let samples = Samples(result.milliseconds)
      return Finding(what: "http: \(call.what)", p50: samples.p50, p99: samples.p99, perSecond: result.perSecond)
    }
    for index in [1, 3] { findings[index].ratio = results[index].perSecond / results[index - 1].perSecond }
    findings[3].limits = [.ratioAtLeast(10)]
    return findings
  }

  private static var manifest: String {
    let echo = BuiltExecutables.path(of: "echo")
    return """
      {"functions": {
        "warm": {"mode": "warm", "executable": "\(echo)"},
        "one-shot": {"mode": "oneshot", "executable": "\(echo)"}
      }}
      """
  }
}
