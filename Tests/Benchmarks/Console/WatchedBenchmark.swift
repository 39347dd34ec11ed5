import EventLoop
import TestSupport

/// The price of open pages of the console for the work itself: warm calls and a draining queue, with pages and without.
struct WatchedBenchmark {
  let effort: Effort

  private static let pages = 10

  /// In turns, so that everything else on the machine affects all alike.
  private enum Turn: CaseIterable {
    case alone, streams, pages
  }

  func findings(_ cluster: LocalCluster) async throws -> [Finding] {
    let calls = try await calls()
    let drains = try await drains(cluster)
    return findings("warm calls", calls) + findings("drain", drains)
  }

  private func findings(_ what: String, _ rates: [Turn: [Double]]) -> [Finding] {
    let medians = rates.mapValues { Samples($0).p50 }
    let alone = medians[.alone] ?? 0
    return [
      Finding(what: "console: \(what), no page open", perSecond: alone),
      Finding(
        what: "console: \(what), \(Self.pages) streams against none", perSecond: medians[.streams],
        ratio: medians[.streams].map { $0 / alone }, limits: [.ratioAtLeast(0.85)],
        goal: .ratioAtLeast(0.97)),
      Finding(
        what: "console: \(what), \(Self.pages) pages that read themselves again, against none",
        perSecond: medians[.pages], ratio: medians[.pages].map { $0 / alone }, limits: [.ratioAtLeast(0.7)],
        goal: .ratioAtLeast(0.97)),
    ]
  }

  private func calls() async throws -> [Turn: [Double]] {
    try await withServedProject(manifest: HTTPBenchmark.manifest) { project in
      let load = HTTPLoad(port: project.port)
      defer { load.loop.stop() }
      let time = effort.choose(quick: Duration.milliseconds(300), normal: .seconds(2), long: .seconds(10))
      var rates: [Turn: [Double]] = [:]
      for _ in 0..<effort.choose(quick: 1, normal: 7) {
        for turn in Turn.allCases {
          let pages = try Self.open(turn, project.port)
          let result = try await load.run(
            function: "warm", connections: 32, warmUp: .milliseconds(500), time: time)
          for page in pages { await page.close() }
          rates[turn, default: []].append(result.perSecond)
        }
      }
      return rates
    }
  }

  private func drains(_ cluster: LocalCluster) async throws -> [Turn: [Double]] {
    var rates: [Turn: [Double]] = [:]
    for _ in 0..<effort.choose(quick: 1, normal: 5) {
      for turn in Turn.allCases { rates[turn, default: []].append(try await drain(cluster, turn)) }
    }
    return rates
  }

  /// Events a second, in a database of its own.
  private func drain(_ cluster: LocalCluster, _ turn: Turn) async throws -> Double {
    let project = try await QueueProject(cluster, manifest: Orders.manifest(DrainBenchmark.warmEcho))
    return try await project.drain(effort.choose(quick: 20_000, normal: 200_000)) { try Self.open(turn, $0) }.perSecond
  }

  private static func open(_ turn: Turn, _ port: UInt16) throws -> [OpenPage] {
    guard turn != .alone else { return [] }
    return try (0..<pages).map { _ in try OpenPage(port: port, reads: turn == .pages) }
  }
}
