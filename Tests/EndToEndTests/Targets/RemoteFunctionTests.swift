import FunctionKit
import Glibc
import HTTPClient
import Postgres
import TestSupport
import Testing

/// Functions that run elsewhere, by a runner that serves.
@Suite(.heavy)
struct RemoteFunctionTests {
  private static let done = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"a\": 1}"

  private func manifest(_ port: Int, _ settings: String = "") -> String {
    #"{"functions":{"billing":{"url":"http://127.0.0.1:\#(port)/events","attempts":3,"#
      + #""triggers":[{"table":"entries","events":["INSERT"]},{"schedule":"0 0 1 1 *"}],"key":"key"\#(settings)}}}"#
  }

  private func runner(
    _ port: Int, _ settings: String = "", environment: [String: String] = [:]
  ) async throws -> RunningRunner {
    try await .withLedgers(manifest(port, settings), scripts: [:], environment: environment)
  }

  private func history(_ runner: RunningRunner) async throws -> [String] {
    try await runner.database.query(
      "SELECT code || ' ' || attempt AS line FROM runner.history WHERE function = 'billing' ORDER BY ended_at"
    ).decode("line", as: String.self)
  }

  @Test func rowsSchedulesAndCallsReachIt() async throws {
    let target = try ScriptedServer(.answer(Self.done))
    defer { target.stop() }
    let runner = try await runner(
      target.port, #","headers":{"Authorization":"Bearer ${TOKEN}"},"secret":"SECRET""#,
      environment: ["TOKEN": "t0ken", "SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
    let served = try await runner.start()

    try await runner.database.script("INSERT INTO entries VALUES (1, 'a')")
    try await runner.wait(until: "(SELECT count(*) = 1 FROM runner.history)")
    #expect(try await runner.run(["schedules", "fire", "billing"]).exit == 0)
    try await runner.wait(until: "(SELECT count(*) = 2 FROM runner.history)")
    let answer = try await served.call("billing", #"{"b":2}"#)
    let later = try await served.call("billing", "{}", headers: [("Prefer", "respond-async")])
    #expect((answer.status, answer.json?["a"]?.intValue, later.status) == (200, 1, 202))
    try await runner.wait(until: "(SELECT count(*) = 4 FROM runner.history)")

    let requests = target.requests
    #expect(requests.count == 4)
    for request in requests {
      #expect(request.hasPrefix("POST /events HTTP/1.1\r\n"))
      #expect(request.contains("Authorization: Bearer t0ken\r\n") && request.contains("webhook-signature: v1,"))
    }
    let types = requests.compactMap { $0.firstMatch(of: /ce-type: (\S+)/).map { String($0.1) } }
    #expect(types == [EventType.row, EventType.schedule, EventType.call, EventType.call])
    #expect(requests[2].hasSuffix("\r\n\r\n{\"b\":2}"))
    #expect(try await history(runner) == ["OK 0", "OK 0", "OK 0", "OK 0"])
    #expect(!served.program.lines.contains { $0.contains("t0ken") || $0.contains("MfKQ9") })
  }

  @Test func whileItIsAwayEventsWaitAndEverythingSaysSo() async throws {
    let (descriptor, port) = try boundSocket()
    let runner = try await runner(port, #","timeout":300"#)
    let served = try await runner.start()
    try await runner.database.script("INSERT INTO entries SELECT n, 'k' || n % 3 FROM generate_series(1, 30) AS n")
    try await eventually("it is known to be away") {
      try await served.request("/metrics").text.contains("push_runner_target_away{function=\"billing\"} 1")
    }

    let events = try await runner.database.query("SELECT partition || '.' || id AS id FROM runner.events LIMIT 1")
    let id = try events.only()["id"]
    let why = try await runner.run(["why", id ?? ""])
    #expect(why.stdout.contains("The target of billing is away: could not connect to 127.0.0.1:\(port)"), "\(why)")
    let doctor = try await runner.run(["doctor"])
    #expect(doctor.stdout.contains("Its events wait and lose no attempt") && doctor.exit != 0, "\(doctor)")
    try await eventually("a caller is told when to come again") {
      let answer = try await served.call("billing")
      return answer.status == 503 && answer.headers.contains { $0.name.lowercased() == "retry-after" }
    }
    #expect(served.program.lines.count { $0.contains("The function's target is away") } == 1)

    close(descriptor)
    let target = try ScriptedServer(.answer(Self.done), port: port)
    defer { target.stop() }
    try await runner.waitUntilEmpty()
    let outcomes = try await history(runner)
    #expect(outcomes.filter { $0.hasPrefix("OK") } == Array(repeating: "OK 0", count: 30), "\(outcomes)")
    let counts = try await runner.database.query("SELECT FROM runner.retries")
    #expect(counts.isEmpty)
  }

  @Test func whatItRefusesIsADeadLetterThatCanBeSentAgain() async throws {
    let refusal = #"{"message":"no such plan"}"#
    let target = try ScriptedServer(
      .answers(["HTTP/1.1 422 No\r\nContent-Length: \(refusal.utf8.count)\r\n\r\n\(refusal)", Self.done]))
    defer { target.stop() }
    let runner = try await runner(target.port)
    let served = try await runner.start()

    try await runner.database.script("INSERT INTO entries VALUES (1, 'a')")
    try await runner.wait(until: "(SELECT count(*) = 1 FROM runner.dead_letters)")
    let letter = try await runner.database.query("SELECT code, error, attempts FROM runner.dead_letters").only()
    #expect((letter["code"], letter["attempts"]) == ("TARGET_REFUSED", "1"))
    #expect(letter["error"] == "http://127.0.0.1:\(target.port) answered 422: no such plan.")
    #expect(try await runner.run(["events", "retry", "--all"]).exit == 0)
    try await runner.wait(until: "(SELECT count(*) = 0 FROM runner.dead_letters)")
    try await runner.waitUntilEmpty()

    #expect(try await history(runner).last?.hasPrefix("OK") == true)
    let ids = target.requests.compactMap { $0.firstMatch(of: /ce-id: (\S+)/).map { String($0.1) } }
    #expect(ids.count == 2)
    withExtendedLifetime(served) {}
  }

  @Test func anEventIsTriedAgainWhenItAsks() async throws {
    let target = try ScriptedServer(
      .answers(["HTTP/1.1 503 Later\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n", Self.done]))
    defer { target.stop() }
    let runner = try await runner(target.port)
    let served = try await runner.start()

    try await runner.database.script("INSERT INTO entries VALUES (1, 'a')")
    try await runner.wait(until: "(SELECT count(*) = 2 FROM runner.history)")

    #expect(try await history(runner) == ["TARGET_FAILED 0", "OK 1"])
    let ids = target.requests.compactMap { $0.firstMatch(of: /ce-id: (\S+)/).map { String($0.1) } }
    #expect(ids.count == 2 && Set(ids).count == 1)
    withExtendedLifetime(served) {}
  }

  @Test func withoutItsVariablesTheRunnerDoesNotStart() async throws {
    let runner = try await runner(1, #","headers":{"X-Key":"${BILLING_KEY}"}"#)
    let serve = try await runner.run(["serve", "--port", "0", "--no-services", "--migrate", "--emulator"])
    let doctor = try await runner.run(["doctor"])

    let problem = "billing runs elsewhere, and its requests need BILLING_KEY: not set"
    #expect(serve.exit == 78)
    #expect((serve.stdout + serve.stderr).contains(problem), "\(serve)")
    #expect(doctor.exit != 0 && doctor.stdout.contains(problem), "\(doctor)")
  }

  @Test func aFunctionMovesElsewhereAndBackWhileTheRunnerServes() async throws {
    let target = try ScriptedServer(.answer(Self.done))
    defer { target.stop() }
    let here = Ledger.manifest(Ledger.function("billing"))
    let runner = try await RunningRunner.withLedgers(here, scripts: ["billing": Ledger.script("billing")])
    let served = try await runner.start(options: ["--watch"])
    func move(to manifest: String) async throws {
      let count = served.program.lines.count { $0.contains("The functions were loaded again") }
      try runner.project.write(Schema.manifest(manifest), to: "functions.json")
      try await eventually("it is read") {
        served.program.lines.count { $0.contains("The functions were loaded again") } > count
      }
    }

    try await runner.database.script("INSERT INTO entries VALUES (1, 'a')")
    try await runner.waitUntilEmpty()
    try await move(
      to: Ledger.manifest(
        #""billing":{"url":"http://127.0.0.1:\#(target.port)/","key":"key","triggers":[{"table":"entries","events":["INSERT"]}]}"#
      ))
    try await runner.database.script("INSERT INTO entries VALUES (2, 'a')")
    try await runner.waitUntilEmpty()
    try await move(to: here)
    try await runner.database.script("INSERT INTO entries VALUES (3, 'a')")
    try await runner.waitUntilEmpty()

    #expect(try Ledger("billing", of: runner).numbers == [1, 3])
    #expect(target.requests.count == 1)
  }
}
