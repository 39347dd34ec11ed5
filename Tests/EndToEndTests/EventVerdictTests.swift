import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// A function's verdict on an event, in every way in which a runner starts one; the functions are shell scripts.
@Suite(.heavy)
struct EventVerdictTests {
  /// A function for one way to answer.
  private struct Answerer: Sendable {
    let way: WayToAnswer
    let mode: String
    let name: String

    /// One for each way and mode.
    static let all = ["warm", "oneshot"].flatMap { mode in
      WayToAnswer.all.enumerated().map { Answerer(way: $1, mode: mode, name: "\(mode)-\($0)") }
    }

    static func scripts(before: String = "") -> [String: String] {
      Dictionary(uniqueKeysWithValues: all.map { ("\($0.name).sh", $0.way.script(before: before)) })
    }

    static func manifest(attempts: Int = 1) -> String {
      let functions = all.map { function in
        // One that does not answer has time enough to begin, on a busy machine, too.
        let timeout = function.code == "WORKER_TIMEOUT" ? 5 : 300
        return #""\#(function.name)":{"executable":"\#(function.name).sh","mode":"\#(function.mode)","concurrency":1,"#
          + #""attempts":\#(attempts),"timeout":\#(timeout)}"#
      }
      return #"{"functions":{\#(functions.joined(separator: ","))}}"#
    }

    /// Starts `runner host` with all of them.
    static func host(in folder: TemporaryDirectory) async throws -> HostedFunction {
      try folder.write(manifest(), to: "functions.json")
      for (name, text) in scripts() { try folder.write("#!/bin/sh\n\(text)\n", to: name, mode: 0o700) }
      return try await HostedFunction(hosting: all.map(\.name), of: folder.path)
    }

    var code: String { mode == "warm" ? way.stream : way.oneShot }
    /// Its events wait until it is mended, and lose no attempt.
    var isPaused: Bool { code == "CONFIG_ERROR" }
  }

  /// The statuses that a caller gets.
  private static let statuses = [
    "INVALID_EVENT": 400, "UNAVAILABLE": 503, "WORKER_ERROR": 500, "CONFIG_ERROR": 500, "WORKER_CRASH": 500,
    "INVALID_OUTPUT": 502, "WORKER_TIMEOUT": 504,
  ]

  /// Puts an event for each function in the queue; returns their ids by the functions' names.
  private func queue(on served: Served) async throws -> [String: String] {
    var ids: [String: String] = [:]
    for function in Answerer.all {
      let answer = try await served.call(function.name, headers: [("Prefer", "respond-async")])
      try #require(answer.status == 202, "\(answer.text)")
      ids[function.name] = answer.json?["id"]?.stringValue
    }
    return ids
  }

  /// Waits until the functions are paused that have to be.
  private func waitForPauses(of served: Served) async throws {
    for function in Answerer.all where function.isPaused {
      try await served.program.line {
        $0.contains("The function is paused") && $0.contains(#""function":"\#(function.name)""#)
      }
    }
  }

  /// The history has these codes of each function's attempts that the condition chooses: `nil` of one without any.
  private func expectCodes(_ runner: RunningRunner, where condition: SQL) async throws {
    let rows = try await runner.database.query(
      "SELECT function, string_agg(DISTINCT code, ' ') AS codes FROM runner.history WHERE \(condition) GROUP BY 1")
    let codes = Dictionary(uniqueKeysWithValues: rows.map { ($0["function"] ?? "", $0["codes"] ?? "") })
    for function in Answerer.all {
      #expect(codes[function.name] == (function.isPaused ? nil : function.code), "\(function.name): \(function.way)")
    }
  }

  @Test func isTheSameInTheQueueAndWhenADeadLetterOrAnEndedEventIsSentAgain() async throws {
    let runner = try await RunningRunner(Answerer.manifest(), scripts: Answerer.scripts())
    let waiting = Answerer.all.count { $0.isPaused }
    let done = Answerer.all.filter { $0.code == "OK" }
    let dead = Answerer.all.filter { $0.code != "OK" && !$0.isPaused }
    var ids: [String: String] = [:]

    for round in 1...3 {
      // Before it starts, so that no process of the former round gets an event.
      switch round {
      case 2:
        let retried = try await runner.run(["events", "retry", "--all"])
        #expect(retried.stdout == "retried \(dead.count) dead letters\n", "\(retried)")
        try await resend(done, ids, runner)
      case 3: try await resend(dead, ids, runner)
      default: break
      }
      let served = try await runner.start()
      if round == 1 { ids = try await queue(on: served) }
      try await waitForPauses(of: served)
      try await runner.wait(
        until: "(SELECT count(*) FROM runner.events) + (SELECT count(*) FROM runner.retries) = \(waiting)")
      served.program.send(15)
      #expect(try await served.program.exit() == 0)

      try await expectCodes(runner, where: "true")
      let rows = try await runner.database.query(
        "SELECT function, count(*) FILTER (WHERE attempt = 0) AS runs FROM runner.history GROUP BY 1")
      let runs = Dictionary(uniqueKeysWithValues: rows.map { ($0["function"] ?? "", $0["runs"] ?? "") })
      #expect(done.allSatisfy { runs[$0.name] == "\(min(round, 2))" })
      #expect(dead.allSatisfy { runs[$0.name] == "\(round)" })
      // What was retried has died again; what was sent again is another event.
      let letters = try await runner.database.query("SELECT FROM runner.dead_letters")
      #expect(letters.count == dead.count * (round == 3 ? 2 : 1))
    }
  }

  private func resend(_ functions: [Answerer], _ ids: [String: String], _ runner: RunningRunner) async throws {
    for function in functions {
      let outcome = try await runner.run(["resend", ids[function.name] ?? ""])
      #expect(outcome.exit == 0, "\(function.name): \(outcome)")
    }
  }

  @Test(arguments: [
    (
      "it has failed once",
      #"""
      case $line in
        *'"attempt":'*) ;;
        *) printf '{"id":"%s","exit":75,"error":{"retryAfter":0}}\n' "$id"; read -r line || exit 75 ;;
      esac
      """#, 1
    ),
    ("it runs alone after two crashes", #"case $line in *'"attempt":2'*) ;; *) kill -KILL $$ ;; esac"#, 2),
  ])
  func isTheSameInARetry(_ name: String, before: String, failures: Int) async throws {
    let runner = try await RunningRunner(Answerer.manifest(attempts: 2), scripts: Answerer.scripts(before: before))
    let served = try await runner.start()
    _ = try await queue(on: served)

    let ending = Answerer.all.count { !$0.isPaused }
    try await runner.wait(
      until: "(SELECT count(DISTINCT function) FROM runner.history WHERE attempt = \(failures)) = \(ending)")
    try await waitForPauses(of: served)

    try await expectCodes(runner, where: "attempt = \(failures)")
    let waiting = try await runner.database.query("SELECT function FROM runner.retries WHERE attempt = \(failures)")
    let names = try Set(waiting.decode("function", as: String.self))
    #expect(names.isSuperset(of: Answerer.all.filter(\.isPaused).map(\.name)))
  }

  /// Calls all functions at once and compares what the callers get.
  private func expectStatuses(from url: String) async throws {
    let client = HTTPClient(limits: HTTPLimits(total: .seconds(120)))
    try await withThrowingTaskGroup(of: (Answerer, HTTPAnswer).self) { group in
      for function in Answerer.all {
        group.addTask {
          let answer = try await client.send(
            HTTPCall(.post, "\(url)/functions/v1/\(function.name)", body: Array("{}".utf8)))
          return (function, answer)
        }
      }
      for try await (function, answer) in group {
        let code = try? RawJSON(validating: answer.body[...])["code"]?.stringValue
        let isRight =
          Self.statuses[function.code].map { answer.status == $0 && code == function.code }
          ?? [200, 204].contains(answer.status)
        #expect(isRight, "\(function.name): \(function.way): \(answer.status) \(code ?? "")")
      }
    }
  }

  @Test func isTheStatusOfACall() async throws {
    let runner = try await RunningRunner(Answerer.manifest(), scripts: Answerer.scripts())

    try await expectStatuses(from: try await runner.start().url)
  }

  @Test func isTheStatusOfACallToAHost() async throws {
    let folder = try TemporaryDirectory()
    let host = try await Answerer.host(in: folder)

    try await expectStatuses(from: "http://127.0.0.1:\(host.port)")
  }

  @Test func isKnownToARunnerWhoseFunctionsAreElsewhere() async throws {
    let folder = try TemporaryDirectory()
    let host = try await Answerer.host(in: folder)
    let functions = Answerer.all.map { function in
      #""\#(function.name)":{"url":"http://127.0.0.1:\#(host.port)/functions/v1/\#(function.name)","attempts":1,"#
        + #""timeout":300}"#
    }
    let runner = try await RunningRunner(#"{"functions":{\#(functions.joined(separator: ","))}}"#)
    let served = try await runner.start()

    _ = try await queue(on: served)
    try await runner.wait(until: "(SELECT count(*) FROM runner.history) = \(functions.count)")

    let rows = try await runner.database.query("SELECT function, code FROM runner.history")
    let codes = Dictionary(uniqueKeysWithValues: rows.map { ($0["function"] ?? "", $0["code"] ?? "") })
    for function in Answerer.all {
      let code = ["OK": "OK", "INVALID_EVENT": "TARGET_REFUSED"][function.code] ?? "TARGET_FAILED"
      #expect(codes[function.name] == code, "\(function.name): \(function.way)")
    }
  }
}
