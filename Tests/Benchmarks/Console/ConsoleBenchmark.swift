import FunctionKit
import HTTPClient
import Postgres
import TestSupport

/// The console of a project with a long past and a long queue: how fast its pages are, and how soon they show a change.
struct ConsoleBenchmark {
  let effort: Effort

  private static let pages = [("first page", ""), ("dead letters", "dead"), ("functions", "functions")]
  private static let most = (kilobytes: 60.0, milliseconds: 100.0, change: 300.0, mebibytes: 4.0)

  func findings() async throws -> [Finding] {
    try await LocalCluster.with { cluster in
      try await full(cluster) + WatchedBenchmark(effort: effort).findings(cluster)
    }
  }

  private func full(_ cluster: LocalCluster) async throws -> [Finding] {
    let size = FullProject(
      ended: effort.choose(quick: 20_000, normal: 1_000_000), waiting: effort.choose(quick: 2_000, normal: 100_000),
      dead: effort.choose(quick: 200, normal: 2_000))
    let project = try await QueueProject(cluster, manifest: size.manifest)
    try project.write(FullProject.script, to: "held.sh")
    let event: String = try await connected(to: project.databaseURL) { database in
      try await database.script(size.rows)
      try await database.script("CHECKPOINT")
      return try await database.query(
        "SELECT partition || '.' || id AS id FROM runner.history WHERE id IS NOT NULL ORDER BY recorded_at DESC LIMIT 1"
      ).only().decode("id")
    }
    let runner = try await project.start()
    var findings: [Finding] = []
    for (name, path) in Self.pages + [("event", "event/\(event)")] {
      findings += try await page(name, path, of: runner)
    }
    findings += try await changes(runner)
    findings.append(try await memory(runner))
    try project.write("", to: "released")
    try await runner.stop()
    return findings
  }

  private func page(_ name: String, _ path: String, of runner: ServingRunner) async throws -> [Finding] {
    try await PageReadings.read(path, of: runner, times: effort.choose(quick: 20, normal: 200)).findings(
      "console: \(name)", kilobytes: path.isEmpty ? Self.most.kilobytes : nil, limit: 1_000,
      goal: Self.most.milliseconds)
  }

  /// How long a page waits for the next message before it is read without one, so that a missing message is seen.
  private static let patience = Duration.seconds(2)

  /// From the end of a call until the page was read that has it, while ten pages are open.
  private func changes(_ runner: ServingRunner) async throws -> [Finding] {
    let client = HTTPClient()
    let stream = try RawConnection(port: runner.port)
    stream.send("GET \(OpenPage.path)changes HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = try await stream.read(until: "event: hello\n")
    let others = try (1..<10).map { _ in try OpenPage(port: runner.port, reads: true) }
    var (told, shown) = ([Double](), [Double]())
    for number in 0..<effort.choose(quick: 5, normal: 60) {
      // At another moment of the runner's looking each time.
      try await Task.sleep(for: .milliseconds(700 + number * 37 % 300))
      let id = "change-\(number)-of-\(runner.processID)"
      try await call(runner, client, id: id)
      let end = ContinuousClock.now
      var isShown = false
      while !isShown {
        _ = try? await stream.read(until: "event: change\n", within: Self.patience)
        if told.count == number { told.append((ContinuousClock.now - end).milliseconds) }
        let page = try await client.send(HTTPCall(.get, "http://127.0.0.1:\(runner.port)\(OpenPage.path)"))
        isShown = page.text.contains(id)
      }
      shown.append((ContinuousClock.now - end).milliseconds)
    }
    for other in others { await other.close() }
    let (message, page) = (Samples(told), Samples(shown))
    return [
      Finding(what: "console: a change is told, ms at p95", p50: message.p50, value: message.percentile(0.95)),
      Finding(
        what: "console: a change is on the page, ms at p95", p50: page.p50, p99: page.p99,
        value: page.percentile(0.95), limits: [.valueAtMost(2_000)], goal: .valueAtMost(Self.most.change)),
    ]
  }

  /// As many pages are open as the runner admits, and each reads itself again after a change.
  private func memory(_ runner: ServingRunner) async throws -> Finding {
    let before = try ProcessFigures.proportionalMemory(of: runner.processID)
    let pages = try (0..<16).map { _ in try OpenPage(port: runner.port, reads: true) }
    let client = HTTPClient()
    for number in 0..<effort.choose(quick: 5, normal: 30) {
      try await call(runner, client, id: "memory-\(number)")
      try await Task.sleep(for: .milliseconds(200))
    }
    let after = try ProcessFigures.proportionalMemory(of: runner.processID)
    let count = pages.reduce(0) { $0 + $1.count }
    for page in pages { await page.close() }
    guard count >= pages.count else { throw BenchmarkError("The pages were read \(count) times only.") }
    return Finding(
      what: "console: MiB of PSS more with 16 open pages", value: Double(after - before) / 1_048_576,
      limits: [.valueAtMost(Self.most.mebibytes)])
  }

  private func call(_ runner: ServingRunner, _ client: HTTPClient, id: String) async throws {
    let event = #"{"specversion":"1.0","id":"\#(id)","source":"/benchmark","type":"t","data":{}}"#
    let answer = try await client.send(
      HTTPCall(
        .post, "http://127.0.0.1:\(runner.port)/functions/v1/called",
        headers: [("Content-Type", "application/cloudevents+json")], body: Array(event.utf8)))
    guard answer.status == 200 else { throw BenchmarkError("The call was answered \(answer.status): \(answer.text)") }
  }
}
