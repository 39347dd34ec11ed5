import Postgres
import TestSupport

/// A backlog of one-row events, from the first partition that the runner takes until the last event has left the queue.
///
/// That includes the first reading, the start of the function's processes and the history of every event; the start of
/// the runner itself is left out.
struct DrainBenchmark {
  let effort: Effort

  private static let subjects: [(what: String, function: String, rest: String, goal: Double)] = [
    ("warm echo, full history", warmEcho, "", 35_000),
    ("no function, full history", #""mode": "discard""#, "", 60_000),
    ("no function, history of outcomes", #""mode": "discard""#, #", "history": {"payloads": false}"#, 100_000),
  ]

  static var warmEcho: String { #""mode": "warm", "executable": "\#(BuiltExecutables.path(of: "echo"))""# }

  func findings() async throws -> [Finding] {
    try await LocalCluster.with { cluster in
      var findings: [Finding] = []
      for subject in Self.subjects {
        let manifest = Orders.manifest(subject.function, rest: subject.rest)
        var (alone, beside) = ([ServerShare](), [ServerShare]())
        for _ in 0..<effort.choose(quick: 1, normal: 3, long: 7) {
          alone.append(try await share(cluster, manifest, holdsSnapshot: false))
          beside.append(try await share(cluster, manifest, holdsSnapshot: true))
        }
        let what = "drain: \(subject.what)"
        let (median, medianBeside) = (Samples(alone.map(\.perSecond)).p50, Samples(beside.map(\.perSecond)).p50)
        findings += ServerShare.findings(what, alone, atLeast: 0.3, goal: subject.goal)
        findings.append(
          Finding(
            what: "\(what), beside a held snapshot", perSecond: medianBeside, ratio: medianBeside / median,
            limits: [.ratioAtLeast(0.8)]))
      }
      return findings
    }
  }

  /// Drains a backlog, in a database of its own.
  private func share(_ cluster: LocalCluster, _ manifest: String, holdsSnapshot: Bool) async throws -> ServerShare {
    let project = try await QueueProject(cluster, manifest: manifest)
    let count = effort.choose(quick: 20_000, normal: 200_000)
    guard holdsSnapshot else { return try await project.drain(count) }
    return try await connected(to: project.databaseURL) { other in
      try await other.transaction(.repeatableRead) { transaction in
        _ = try await transaction.query("SELECT count(*) FROM runner.events")
        return try await project.drain(count)
      }
    }
  }
}
