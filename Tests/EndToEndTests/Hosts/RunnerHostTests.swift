import Foundation
import FunctionKit
import TestSupport
import Testing

/// `runner host`: functions of a bundle over HTTP from one process.
@Suite(.heavy)
struct RunnerHostTests {
  private static let away = "postgres:///d?host=/nowhere"

  @Test func severalFunctionsAreServedAtTheGatewaysAddressesWithoutADatabase() async throws {
    let host = try await HostedFunction(hosting: ["echo", "openapi"])

    let binary = try await host.answer(
      "POST /functions/v1/echo", "ce-specversion: 1.0", "ce-id: 7", "ce-source: /s", "ce-type: t", body: "{}")
    let routed = try await host.answer("GET /openapi.json")
    let asynchronous = try await host.answer("POST /functions/v1/echo", "Prefer: respond-async", body: "1")

    #expect(binary.hasPrefix("HTTP/1.1 200 ") && binary.contains(#""id":"7","source":"/http/echo""#))
    #expect(routed.hasPrefix("HTTP/1.1 200 ") && routed.contains(#""openapi":"3.1"#))
    // Without a queue the caller waits for the result, as it may.
    #expect(asynchronous.hasPrefix("HTTP/1.1 200 ") && asynchronous.contains(#""data":1"#))
    for (line, body, status) in [
      ("POST /functions/v1/vote-cast", "{}", 404), ("GET /functions/v1/echo", "", 405),
      ("POST /functions/v1/echo", "{", 400), ("GET /nowhere", "", 404), ("GET /_/health", "", 200),
      ("GET /_/ready", "", 200), ("GET /metrics", "", 200), ("GET /_/state", "", 200),
    ] {
      let answer = try await host.answer(line, body: body)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(line): \(answer)")
    }
    let foreign = try RawConnection(port: host.port)
    foreign.send("GET /_/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    #expect(try await foreign.readToEnd().hasPrefix("HTTP/1.1 403 "))
    host.program.send(SIGTERM)
    #expect(try await host.program.exit() == 0)
  }

  @Test func anEngineAnswersForItsCallersAndTheirSources() async throws {
    let port = try RunningProgram.freePort()
    let host = try await HostedFunction(
      hosting: ["echo"], [], environment: ["K_SERVICE": "bundle", "PORT": "\(port)"])
    #expect(host.port == port && host.program.lines.contains { $0.contains(#""url":"http://0.0.0.0:\#(port)""#) })

    let connection = try RawConnection(port: port)
    connection.send(
      """
      POST / HTTP/1.1\r
      Host: bundle.default.svc.cluster.local\r
      Connection: close\r
      Content-Type: application/cloudevents+json\r
      Content-Length: 65\r
      \r
      {"specversion":"1.0","id":"1","source":"/s","type":"t","data":{}}
      """)
    let answer = try await connection.readToEnd()

    #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains(#""id":"1","source":"/s""#), "\(answer)")
  }

  @Test func aServiceNeedsItsPort() async throws {
    let outcome = try await BuiltExecutables.run(
      "runner", ["host", "echo", "--project", House.root.path], environment: ["K_SERVICE": "echo"])
    #expect(outcome.exit == 78 && outcome.stderr.contains("K_SERVICE is set, but PORT is missing."))
  }

  @Test func aCallThatTakesTooLongEndsItsProcessAlone() async throws {
    let folder = try TemporaryDirectory()
    try folder.write(#"{"functions":{"slow":{"executable":"slow"}}}"#, to: "functions.json")
    try folder.write(
      #"""
      #!/bin/sh
      while read -r line; do
        case $line in *wait*) sleep 1000 ;; esac
        id=$(echo "$line" | sed -E 's/.*"id":"([^"]*)".*/\1/')
        echo "{\"id\":\"$id\",\"exit\":0,\"result\":1}"
      done

      """#, to: "slow", mode: 0o700)
    let host = try await HostedFunction(
      hosting: ["slow"], of: folder.path, environment: ["PUSH_FUNCTION_TIMEOUT": "1"])

    let late = try await host.answer("POST /", body: #""wait""#)
    let next = try await host.answer("POST /", body: #""go""#)

    #expect(late.hasPrefix("HTTP/1.1 504 ") && late.contains(#""code":"WORKER_TIMEOUT""#))
    #expect(late.contains("X-Call-Id: ") && next.hasPrefix("HTTP/1.1 200 "), "\(next)")
    host.program.send(SIGTERM)
    #expect(try await host.program.exit() == 0)
  }

  /// The function goes on when the test says so.
  @Test func oneCallMoreThanAllowedIsRefusedAndTheOthersAreAnsweredBeforeTheEnd() async throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      #"{"functions":{"slow":{"executable":"slow","mode":"oneshot"},"quick":{"executable":"quick","mode":"oneshot"}}}"#,
      to: "functions.json")
    try folder.write(
      "#!/bin/sh\ntouch begun\nuntil test -e go; do sleep 0.01; done\necho '{\"slow\":1}'\n", to: "slow", mode: 0o700)
    try folder.write("#!/bin/sh\necho '{\"quick\":1}'\n", to: "quick", mode: 0o700)
    let host = try await HostedFunction(
      hosting: ["slow", "quick"], of: folder.path, ["--port", "0", "--concurrency", "1"])
    let first = try RawConnection(port: host.port)
    first.send(HostedFunction.request("POST /functions/v1/slow", body: "{}"))
    while access("\(folder.path)/begun", F_OK) != 0 { await Task.yield() }

    let second = try await host.answer("POST /functions/v1/slow", body: "{}")
    #expect(second.hasPrefix("HTTP/1.1 429 ") && second.contains("Retry-After: 1\r\n"))
    #expect(try await host.answer("POST /functions/v1/quick", body: "{}").contains(#"{"quick":1}"#))
    #expect(try await host.answer("GET /_/health").hasPrefix("HTTP/1.1 200 "))

    let idle = try RawConnection(port: host.port)
    idle.send(HostedFunction.request("GET /_/health"))
    _ = try await idle.read(until: "OK\n")
    host.program.send(SIGTERM)
    #expect(try await idle.readToEnd() == "")
    #expect(throws: (any Error).self) { try RawConnection(port: host.port) }
    try folder.write("", to: "go")
    #expect(try await first.readToEnd().hasPrefix("HTTP/1.1 200 "))
    #expect(try await host.program.exit() == 0)
  }

  @Test func functionsUseTheirDatabaseAndReadinessTellsOfIt() async throws {
    let database = try await EveryFunctionTests.database()
    let host = try await HostedFunction(hosting: ["vote-cast", "devices"], environment: ["DATABASE_URL": database])
    let sample = try House.text("Tests/Events/vote-cast.json")
    let told = try await host.answer("POST /functions/v1/vote-cast", body: sample)
    let devices = try await host.answer("GET /api/v1/devices", "Authorization: Bearer demo-ada")
    #expect(told.hasPrefix("HTTP/1.1 200 ") && told.contains(#""notified":1"#), "\(told)")
    #expect(devices.hasPrefix("HTTP/1.1 200 "), "\(devices)")
    #expect(try await host.answer("GET /_/ready").contains(#"{"ready":true,"problems":[]}"#))

    let alone = try await HostedFunction(hosting: ["vote-cast"], environment: ["DATABASE_URL": Self.away])
    // Also when it is asked for the first time.
    #expect(try await alone.answer("GET /_/ready").contains(#"{"ready":false,"problems":["database"]}"#))
    let refused = try await alone.answer("POST /functions/v1/vote-cast", body: sample)
    try await alone.program.line { $0.contains("The functions' database does not answer") }
    #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("Retry-After: "))
    #expect(try await alone.answer("GET /_/ready").contains(#"{"ready":false,"problems":["database"]}"#))
  }

  @Test(arguments: [
    ([], 64, "Which functions? Give their names: runner host NAME...; see runner list."),
    (["eho"], 64, "There is no function eho; did you mean echo? see runner list."),
    (["away"], 64, "away has a \"url\" and runs elsewhere: it cannot be hosted here."),
    (["needy"], 78, "needy needs the variable TOKEN, which is not set."),
    (["echo", "--host", "0.0.0.0"], 64, "Other machines can reach 0.0.0.0, and calls need no key"),
    (["echo", "--concurency", "2"], 64, "did you mean --concurrency?"),
  ])
  func aWrongCallIsRefusedWithASentence(_ words: [String], _ exit: Int32, _ sentence: String) async throws {
    let folder = try TemporaryDirectory()
    try folder.write(
      """
      {"functions":{"echo":{},"away":{"url":"http://127.0.0.1:1/away"},"needy":{"environment":["TOKEN"]}}}
      """, to: "functions.json")

    let outcome = try await BuiltExecutables.run("runner", ["host"] + words + ["--project", folder.path])

    #expect(outcome.exit == exit && outcome.stderr.contains(sentence), "\(outcome.stderr)")
  }

  @Test func aTakenPortIsNamed() async throws {
    let host = try await HostedFunction(hosting: ["echo"])
    let other = try await BuiltExecutables.run(
      "runner", ["host", "echo", "--port", "\(host.port)", "--project", House.root.path])

    #expect(other.exit == 70 && other.stderr.contains("cannot listen on port \(host.port)"), "\(other.stderr)")
  }
}
