import FunctionKit
import Glibc
import HTTPClient
import TestSupport
import Testing

/// The callers that a serving runner lets call functions.
@Suite(.heavy)
struct GatewayAuthTests {
  private static let key = "0123456789abcdef"
  private static let manifest = """
    {"functions":{"f":{"executable":"\(BuiltExecutables.path(of: "echo"))"},
      "api":{"executable":"\(BuiltExecutables.path(of: "echo"))","triggers":[{"http":"function"}]}}}
    """

  private func serve(_ environment: [String: String] = ["RUNNER_KEY": key]) async throws -> Served {
    try await RunningRunner(Self.manifest, environment: environment).start()
  }

  @Test func onceThereIsAKeyItMustBeShown() async throws {
    let served = try await serve()

    let refusal = try await served.call("f")
    #expect(refusal.status == 401)
    #expect(refusal.json?["code"]?.stringValue == "UNAUTHORIZED")
    #expect(refusal.headers.contains { $0.name.lowercased() == "www-authenticate" && $0.value == "Bearer" })
    #expect(try await served.call("f", headers: [("Authorization", "Bearer \(Self.key)")]).status == 200)
    #expect(try await served.call("f", headers: [("apikey", Self.key)]).status == 200)
    #expect(try await served.call("f", headers: [("apikey", Self.key + "0")]).status == 401)
  }

  @Test func figuresAreForWhoHasTheKeyAndHealthForAll() async throws {
    let served = try await serve()

    for path in ["/metrics", "/_/state"] {
      #expect(try await served.request(path).status == 401)
      #expect(try await served.request(path, headers: [("apikey", Self.key)]).status == 200)
    }
    #expect(try await served.request("/_/health").status == 200)
  }

  @Test func aFunctionThatChecksItsCallersSeesThem() async throws {
    let served = try await serve()

    let answer = try await served.call("api/items?a=b", method: .get, headers: [("Authorization", "Bearer theirs")])

    #expect(answer.status == 200)
    #expect(answer.json?["data"]?["headers"]?["authorization"]?.stringValue == "Bearer theirs")
    #expect(answer.json?["data"]?["rawPath"]?.stringValue == "/functions/v1/api/items")
  }

  @Test func aKeyIsMadeOnceWhereNoneIsSet() async throws {
    let runner = try await RunningRunner(Self.manifest)
    let words = ["--host", "0.0.0.0", "--make-key", "--state-dir", "\(runner.project.path)/state"]
    var keys: [String] = []
    for _ in 1...2 {
      let served = try await runner.start(options: words).onLoopback
      let line = try await served.program.line { $0.contains("RUNNER_KEY is not set") }
      keys.append(try #require(RawJSON(validating: Array(line.utf8)[...])["key"]?.stringValue))
      #expect(try await served.call("f").status == 401)
      #expect(try await served.call("f", headers: [("apikey", keys[0])]).status == 200)
      served.program.send(SIGTERM)
      #expect(try await served.program.exit(within: .seconds(120)) == 0)
    }

    #expect(keys[0] == keys[1] && keys[0].count == 36)
    var facts = stat()
    #expect(stat("\(runner.project.path)/state/runner-key", &facts) == 0 && facts.st_mode & 0o777 == 0o600)
  }

  @Test func aKeyThatCannotBeKeptIsAskedFor() async throws {
    let runner = try await RunningRunner(Self.manifest)
    let state = "\(runner.project.path)/missing/state"

    let outcome = try await runner.run(["serve", "--port", "0", "--make-key", "--state-dir", state])

    #expect(outcome.exit == 78 && outcome.stdout.isEmpty)
    #expect(
      outcome.stderr == "runner: RUNNER_KEY is not set, and no key can be kept in \(state): No such file or directory. "
        + "Set it, or let user \(geteuid()) write there.\n")
  }

  @Test func aKeyThatIsSetIsNotReplacedByOneThatIsMade() async throws {
    let served = try await RunningRunner(Self.manifest, environment: ["RUNNER_KEY": Self.key])
      .start(options: ["--make-key"])

    #expect(try await served.call("f", headers: [("apikey", Self.key)]).status == 200)
    #expect(!served.program.lines.contains { $0.contains("RUNNER_KEY is not set") })
  }

  @Test(arguments: [
    (["RUNNER_KEY": "short"], "127.0.0.1", "RUNNER_KEY must have at least 16 characters"),
    ([:], "0.0.0.0", "Other machines can reach 0.0.0.0"),
  ])
  func refusesToStartUnprotected(_ environment: [String: String], _ host: String, _ sentence: String) async throws {
    let runner = try await RunningRunner(Self.manifest, environment: environment)

    let outcome = try await runner.run(["serve", "--host", host, "--port", "0"])

    #expect(outcome.exit != 0)
    #expect(outcome.stderr.contains(sentence))
  }

  @Test func withAKeyItMayBeReachedByOtherNames() async throws {
    let runner = try await RunningRunner(
      Self.manifest, environment: ["RUNNER_KEY": Self.key, "RUNNER_HOSTS": "push.example"])
    let served = try await runner.start(options: ["--host", "0.0.0.0"])
    let key = ("apikey", Self.key)

    #expect(try await served.call("f", headers: [key, ("Host", "push.example")]).status == 200)
    #expect(try await served.call("f", headers: [key, ("Host", "0.0.0.0:1")]).status == 200)
    #expect(try await served.call("f", headers: [key, ("Host", "evil.example")]).status == 403)
  }
}

extension Served {
  /// The same, by an address to which clients connect.
  fileprivate var onLoopback: Served {
    Served(runner: runner, program: program, url: url.replacing("0.0.0.0", with: "127.0.0.1"), client: client)
  }
}
