import EventLoop
import HTTPClient
import TestSupport

/// The cost of traces: warm calls and a draining queue, whose spans nginx takes in place of a collector.
struct TracesBenchmark {
  let effort: Effort

  /// In turns, so that everything else on the machine affects all alike.
  private enum Turn: String, CaseIterable {
    case none = "without traces"
    case hundredth = "a hundredth traced"
    case all = "all traced"

    func environment(_ collector: Nginx) -> [String: String] {
      let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:\(collector.port)"]
      return switch self {
      case .none: [:]
      case .hundredth:
        endpoint.merging([
          "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01",
        ]) { $1 }
      case .all: endpoint
      }
    }
  }

  func findings() async throws -> [Finding] {
    let collector = try await Nginx.start { port in
      """
      listen 127.0.0.1:\(port);
      client_max_body_size 64m;
      location = /v1/traces { default_type application/json; return 200 '{}'; }
      """
    }
    let calls = try await calls(collector)
    let drains: [Turn: [Double]] = try await LocalCluster.with { try await self.drains($0, collector) }
    try await collector.stop()
    return Self.findings("warm calls", calls.rates) + Self.findings("drain", drains) + [
      Finding(what: "traces: spans lost of a warm call, all traced", value: calls.lost)
    ]
  }

  private static func findings(_ what: String, _ rates: [Turn: [Double]]) -> [Finding] {
    let medians = rates.mapValues { Samples($0).p50 }
    return Turn.allCases.map { turn in
      let ratio = medians[turn].flatMap { rate in medians[.none].map { rate / $0 } }
      return Finding(
        what: "traces: \(what), \(turn.rawValue)", perSecond: medians[turn], ratio: turn == .none ? nil : ratio)
    }
  }

  /// Three runners take turns; the two that are not called do nothing.
  private func calls(_ collector: Nginx) async throws -> (rates: [Turn: [Double]], lost: Double) {
    try await served(.none, collector) { none in
      try await served(.hundredth, collector) { hundredth in
        try await served(.all, collector) { all in
          let rates = try await rates([.none: none, .hundredth: hundredth, .all: all])
          let answer = try await HTTPClient().send(HTTPCall(.get, "http://127.0.0.1:\(all.port)/metrics"))
          let lost = try Self.sample("push_runner_spans_lost_total", in: answer.text)
          return (rates, lost / (try Self.sample("push_runner_http_requests_total", in: answer.text)))
        }
      }
    }
  }

  private func served<Answer>(
    _ turn: Turn, _ collector: Nginx, _ body: (ServedProject) async throws -> Answer
  ) async throws -> Answer {
    try await withServedProject(
      manifest: HTTPBenchmark.manifest, environment: turn.environment(collector), body)
  }

  private func rates(_ projects: [Turn: ServedProject]) async throws -> [Turn: [Double]] {
    let time = effort.choose(quick: Duration.milliseconds(300), normal: .seconds(2), long: .seconds(10))
    let loads = projects.mapValues { HTTPLoad(port: $0.port) }
    defer { loads.values.forEach { $0.loop.stop() } }
    var rates: [Turn: [Double]] = [:]
    for _ in 0..<effort.choose(quick: 1, normal: 5) {
      for turn in Turn.allCases {
        guard let load = loads[turn] else { continue }
        let result = try await load.run(function: "warm", connections: 32, warmUp: .milliseconds(500), time: time)
        rates[turn, default: []].append(result.perSecond)
      }
    }
    return rates
  }

  /// The sum of all samples of a metric.
  private static func sample(_ name: String, in page: String) throws -> Double {
    let lines = page.split(separator: "\n").filter { $0.hasPrefix("\(name) ") || $0.hasPrefix("\(name){") }
    guard !lines.isEmpty else { throw BenchmarkError("/metrics has no \(name).") }
    return lines.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
  }

  private func drains(_ cluster: LocalCluster, _ collector: Nginx) async throws -> [Turn: [Double]] {
    var rates: [Turn: [Double]] = [:]
    for _ in 0..<effort.choose(quick: 1, normal: 3) {
      for turn in Turn.allCases {
        let project = try await QueueProject(cluster, manifest: Orders.manifest(DrainBenchmark.warmEcho))
        rates[turn, default: []].append(
          try await project.drain(
            effort.choose(quick: 20_000, normal: 200_000), environment: turn.environment(collector)
          ).perSecond)
      }
    }
    return rates
  }
}
