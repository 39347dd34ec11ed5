import FunctionKit
import HTTPClient
import TestSupport
import Testing

/// HTTP calls through a serving runner, to the built Echo and to functions that misbehave.
@Suite(.heavy)
struct GatewayTests {
  private static func manifest(_ entry: String) -> String { #"{"functions":{"f":{\#(entry)}}}"# }

  /// Answers the call of a one-shot function that is the given script.
  private func answer(
    of script: String, _ settings: String = "", body: String = "{}"
  ) async throws -> (status: Int, json: RawJSON?, text: String, headers: [(name: String, value: String)]) {
    let runner = try await RunningRunner(
      Self.manifest(#""mode":"oneshot","executable":"f.sh"\#(settings)"#), scripts: ["f.sh": script])
    let served = try await runner.start()
    return try await served.call("f", body)
  }

  /// The built Echo, for all tests that only call it.
  ///
  /// A detached task belongs to no test, so its database outlasts each.
  private static let echo = Task.detached {
    try await RunningRunner(manifest(#""executable":"\#(BuiltExecutables.path(of: "echo"))""#)).start()
  }

  @Test func callsAWarmFunction() async throws {
    let served = try await Self.echo.value

    let first = try await served.call("f", #"{"n":9007199254740993}"#)
    let second = try await served.call("f", #"{"n":2}"#)

    #expect(first.status == 200, "\(first.text)")
    #expect(first.json?["data"]?["n"].map { String(decoding: $0.bytes, as: UTF8.self) } == "9007199254740993")
    #expect(second.json?["data"]?["n"]?.intValue == 2)
    #expect(first.headers.contains { $0.name.lowercased() == "x-call-id" })
    #expect(first.headers.contains { $0.name.lowercased() == "x-duration-seconds" })
  }

  @Test func noCallerCanClaimTheSourceOfARowOrASchedule() async throws {
    let served = try await Self.echo.value
    let forged = #"{"specversion":"1.0","id":"1","source":"/postgres/public/votes","type":"t","data":{}}"#

    let answer = try await served.call("f", forged)

    #expect(answer.json?["source"]?.stringValue == "/http/f")
    #expect(answer.json?["id"]?.stringValue == "1")
  }

  @Test func takesCloudEventsInBinaryMode() async throws {
    let served = try await Self.echo.value

    let answer = try await served.call(
      "f", #"{"a":1}"#,
      headers: [("ce-specversion", "1.0"), ("ce-id", "caf%C3%A9"), ("ce-source", "/x"), ("ce-type", "t.x")])

    #expect(answer.json?["id"]?.stringValue == "café")
    #expect(answer.json?["type"]?.stringValue == "t.x")
    #expect(answer.json?["data"]?["a"]?.intValue == 1)
  }

  @Test func refusesWhatIsNotACall() async throws {
    let served = try await Self.echo.value

    #expect(try await served.call("nobody").status == 404)
    #expect(try await served.call("f", method: .get).status == 405)
    #expect(try await served.request("/elsewhere").status == 404)
    let malformed = try await served.call("f", "{\"a\":")
    #expect(malformed.status == 400)
    #expect(malformed.json?["message"]?.stringValue?.contains("not valid JSON") == true)
    let large = try await served.call("f", "\"" + String(repeating: "a", count: 1 << 20) + "\"")
    #expect(large.status == 413)
  }

  @Test(arguments: [
    ("Host", "evil.example"), ("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site"), ("Origin", "null"),
    ("Origin", "http://localhost:3000"), ("Origin", "http://127.0.0.1"),
  ])
  func refusesWebPages(_ name: String, _ value: String) async throws {
    let served = try await Self.echo.value

    let answer = try await served.call("f", headers: [(name, value)])

    #expect(answer.status == 403)
  }

  @Test func tellsThatItIsUpAndReady() async throws {
    let served = try await Self.echo.value
    try await served.program.line { $0.contains("Partitions taken") }

    #expect(try await served.request("/_/health").status == 200)
    try await eventually("it is ready") { try await served.request("/_/ready").status == 200 }
  }

  @Test func emptyOutputIsNoContent() async throws {
    #expect(try await answer(of: "cat > /dev/null").status == 204)
  }

  @Test func aFunctionMaySetStatusAndHeaderFields() async throws {
    let answer = try await answer(of: #"echo '{"statusCode":418,"headers":{"X-A":"b"},"body":"short"}'"#)

    #expect(answer.status == 418)
    #expect(answer.text == "short")
    #expect(answer.headers.contains { $0.name.lowercased() == "x-a" && $0.value == "b" })
  }

  @Test(arguments: [
    ("exit 64", 400, "INVALID_EVENT"), ("exit 65", 400, "INVALID_EVENT"), ("exit 70", 500, "WORKER_ERROR"),
    ("exit 66", 400, "INVALID_EVENT"), ("exit 75", 503, "UNAVAILABLE"),
    ("exit 77", 500, "CONFIG_ERROR"), ("exit 78", 500, "CONFIG_ERROR"), ("exit 1", 500, "WORKER_ERROR"),
    ("kill -SEGV $$", 500, "WORKER_CRASH"), ("echo hello", 502, "INVALID_OUTPUT"),
    ("echo '{}{}'", 502, "INVALID_OUTPUT"), ("yes 1234567", 502, "INVALID_OUTPUT"),
  ])
  func everyEndingHasItsStatus(_ script: String, _ status: Int, _ code: String) async throws {
    let answer = try await answer(of: script)

    #expect(answer.status == status)
    #expect(answer.json?["code"]?.stringValue == code)
  }

  @Test func saysWhenToTryAgain() async throws {
    let answer = try await answer(of: #"echo '{"error":{"code":"X","message":"Later.","retryAfter":7}}'; exit 75"#)

    #expect(answer.headers.contains { $0.name.lowercased() == "retry-after" && $0.value == "7" })
    #expect(answer.json?["message"]?.stringValue == "Later.")
  }

  @Test func aFunctionThatNeverEndsIsEndedWithItsChildren() async throws {
    let runner = try await RunningRunner(
      Self.manifest(#""mode":"oneshot","executable":"f.sh","timeout":1"#),
      scripts: ["f.sh": "trap '' TERM; (trap '' TERM; sleep 1000) & echo $! > child; sleep 1000"])
    let served = try await runner.start()

    let answer = try await served.call("f")

    #expect(answer.status == 504)
    #expect(answer.json?["code"]?.stringValue == "WORKER_TIMEOUT")
    // It was killed before the answer, and ends soon; a zombie that nobody has waited for counts as ended.
    let child = "$(cat \(runner.project.path)/child)"
    let ended = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "while grep -qv '^[^)]*) Z' /proc/\(child)/stat 2>/dev/null; do sleep 0.01; done"])
    #expect(ended.exit == 0, "the child has ended")
  }

  @Test func aMissingExecutableIsABootError() async throws {
    let served = try await RunningRunner(Self.manifest(#""executable":"gone""#)).start()

    let answer = try await served.call("f")

    #expect(answer.status == 503)
    #expect(answer.json?["code"]?.stringValue == "BOOT_ERROR")
  }

  @Test func aFloodOnStderrIsCutAndHarmsNothing() async throws {
    let runner = try await RunningRunner(
      Self.manifest(#""mode":"oneshot","executable":"f.sh""#),
      scripts: ["f.sh": "yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | head -c 4000000 >&2; echo '{}'"])
    let served = try await runner.start()

    #expect(try await served.call("f").status == 200)
    // The answer may be there before the log is.
    try await served.program.line { $0.contains("left out") }
    let shown = served.program.lines.count { $0.hasPrefix("aaa") }
    #expect(shown > 0 && shown < 10_000)
  }

  @Test func aCrashCountsAgainstItsOwnEventOnly() async throws {
    // Answers every event but the one that says "crash".
    let script = #"""
      while read -r line; do
        case "$line" in *crash*) kill -KILL $$ ;; esac
        id=$(printf '%s' "$line" | sed 's/.*"id":"\([^"]*\)".*/\1/')
        printf '{"id":"%s","exit":0,"result":{"ok":true}}\n' "$id"
      done
      """#
    let runner = try await RunningRunner(
      Self.manifest(#""executable":"f.sh","concurrency":1"#), scripts: ["f.sh": script])
    let served = try await runner.start()

    let statuses = try await withThrowingTaskGroup(of: (Bool, Int).self) { group in
      for number in 0..<20 {
        let crash = number == 7
        group.addTask { (crash, try await served.call("f", crash ? #"{"crash":1}"# : #"{"n":1}"#).status) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(statuses.filter(\.0).map(\.1) == [500])
    #expect(statuses.filter { !$0.0 }.allSatisfy { $0.1 == 200 })
  }

  @Test func functionsGetTheirOwnVariablesOnly() async throws {
    let runner = try await RunningRunner(
      Self.manifest(#""mode":"oneshot","executable":"f.sh","environment":["WANTED"]"#),
      scripts: ["f.sh": #"printf '{"wanted":"%s","other":"%s"}' "$WANTED" "$OTHER""#],
      environment: ["WANTED": "yes", "OTHER": "no"])
    let served = try await runner.start()

    let answer = try await served.call("f")

    #expect(answer.json?["wanted"]?.stringValue == "yes")
    #expect(answer.json?["other"]?.stringValue == "")
  }

  @Test func endsCleanlyAfterWhatRuns() async throws {
    let runner = try await RunningRunner(
      Self.manifest(#""mode":"oneshot","executable":"f.sh""#),
      scripts: ["f.sh": "touch started; while [ ! -e go ]; do sleep 0.01; done; echo '{\"done\":1}'"])
    let served = try await runner.start()
    async let answer = served.call("f")
    _ = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "while [ ! -e \(runner.project.path)/started ]; do sleep 0.01; done"])

    served.program.send(15)
    try await served.program.line { $0.contains("Stopping") }
    try runner.project.write("", to: "go")

    #expect(try await answer.json?["done"]?.intValue == 1)
    #expect(try await served.program.exit() == 0)
  }
}
