import EventLoop
import HTTPClient
import Postgres
import TestSupport

/// Events that a function elsewhere gets: nginx on this machine, with a thousand requests on their way at once.
///
/// The client alone is measured as well, on a loop of its own: what is left over is the queue and its database, which has
/// only what nginx leaves of the same processors.
struct TargetsBenchmark {
  let effort: Effort

  private static let inFlight = 1_000

  func findings() async throws -> [Finding] {
    let nginx = try await Nginx.start()
    let url = "http://127.0.0.1:\(nginx.port)/events"
    var alone: [Double] = []
    for _ in 0..<effort.choose(quick: 1, normal: 3) { alone.append(await Sender(url: url).rate(of: count)) }
    let drained = try await LocalCluster.with { cluster in
      var shares: [ServerShare] = []
      for _ in 0..<effort.choose(quick: 1, normal: 3) { shares.append(try await share(cluster, url)) }
      return shares
    }
    let load = HTTPLoad(port: nginx.port)
    defer { load.loop.stop() }
    let bare = try await load.run(
      function: "static", connections: Self.inFlight, warmUp: .milliseconds(500),
      time: effort.choose(quick: .milliseconds(500), normal: .seconds(3)))
    try await nginx.stop()
    let rate = Samples(alone).p50
    return [
      Finding(
        what: "targets: a bare client that repeats its request, \(Self.inFlight) in flight", perSecond: bare.perSecond,
        isYardstick: true),
      Finding(
        what: "targets: requests, \(Self.inFlight) in flight, one thread, against that", perSecond: rate,
        ratio: rate / bare.perSecond, limits: [.ratioAtLeast(0.05)], goal: .perSecondAtLeast(10_000)),
    ]
      + ServerShare.findings(
        "targets: events from rows, \(Self.inFlight) in flight", drained, atLeast: 0.05, goal: 10_000)
  }

  private var count: Int { effort.choose(quick: 10_000, normal: 100_000) }

  /// From rows to their history.
  private func share(_ cluster: LocalCluster, _ url: String) async throws -> ServerShare {
    let manifest = Orders.manifest(#""url": "\#(url)", "concurrency": \#(Self.inFlight)"#)
    return try await QueueProject(cluster, manifest: manifest).drain(count)
  }
}

/// The client of targets on a loop of its own.
private actor Sender {
  nonisolated let loop = EventLoop(name: "sender")
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private lazy var client = LoopHTTPClient(on: loop, connections: 1_000)
  private let url: String
  private var (left, done) = (0, 0)

  init(url: String) {
    self.url = url
  }

  /// Requests a second.
  func rate(of count: Int) async -> Double {
    left = count
    let start = ContinuousClock.now
    await withCheckedContinuation { (finished: CheckedContinuation<Void, Never>) in
      for _ in 0..<1_000 { sendNext(of: count) { finished.resume() } }
    }
    let time = ContinuousClock.now - start
    client.close()
    loop.stop()
    return Double(count) / (time / .seconds(1))
  }

  private func sendNext(of count: Int, finished: @escaping () -> Void) {
    guard left > 0 else { return }
    left -= 1
    let headers = [
      (name: "Content-Type", value: "application/json"), (name: "ce-id", value: "\(left)"),
      (name: "ce-source", value: "/postgres/public/orders"), (name: "ce-specversion", value: "1.0"),
      (name: "ce-type", value: "dev.push-functions.row"), (name: "ce-time", value: "2026-01-02T03:04:05Z"),
    ]
    let body = [UInt8](repeating: UInt8(ascii: "1"), count: 200)
    client.send(HTTPCall(.post, url, headers: headers, body: body)) { [self] result in
      guard case .success(let answer) = result, answer.status == 200 else {
        fatalError("nginx did not answer: \(result)")
      }
      ended(of: count, finished: finished)
    }
  }

  private func ended(of count: Int, finished: @escaping () -> Void) {
    done += 1
    if done == count { finished() } else { sendNext(of: count, finished: finished) }
  }
}
