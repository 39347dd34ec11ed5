import HTTPClient

/// How long the console has taken for a page, and how large the largest answer was.
struct PageReadings {
  let times: Samples
  /// Without the connection's head.
  let bytes: Int

  /// Reads a page that many times, and once before.
  ///
  /// Every tenth reading is after a pause, in which what was counted has become old.
  static func read(_ path: String, of runner: ServingRunner, times count: Int) async throws -> PageReadings {
    let client = HTTPClient()
    let call = HTTPCall(.get, "http://127.0.0.1:\(runner.port)\(OpenPage.path)\(path)")
    var (times, bytes) = ([Double](), 0)
    for number in 0...count {
      if number % 10 == 1 { try await Task.sleep(for: .milliseconds(1_100)) }
      let start = ContinuousClock.now
      let answer = try await client.send(call)
      let time = ContinuousClock.now - start
      guard answer.status == 200 else { throw BenchmarkError("\(call.url) answered \(answer.status): \(answer.text)") }
      if number > 0 { times.append(time.milliseconds) }
      bytes = max(bytes, answer.body.count)
    }
    return PageReadings(times: Samples(times), bytes: bytes)
  }

  /// A page's text.
  static func text(of path: String, _ runner: ServingRunner) async throws -> String {
    try await HTTPClient().send(HTTPCall(.get, "http://127.0.0.1:\(runner.port)\(OpenPage.path)\(path)")).text
  }

  /// Its size and its time.
  ///
  /// - Parameters:
  ///   - kilobytes: the most that it may have; `nil` for any.
  ///   - limit: the most milliseconds at p95 on any machine.
  ///   - goal: the most milliseconds at p95 that are wanted.
  func findings(_ what: String, kilobytes: Double?, limit: Double, goal: Double) -> [Finding] {
    [
      Finding(
        what: "\(what), kB", value: Double(bytes) / 1_000, limits: kilobytes.map { [.valueAtMost($0)] } ?? []),
      Finding(
        what: "\(what), ms at p95", p50: times.p50, p99: times.p99, value: times.percentile(0.95),
        limits: [.valueAtMost(limit)], goal: .valueAtMost(goal)),
    ]
  }
}
