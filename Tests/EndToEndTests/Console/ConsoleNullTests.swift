import Postgres
import TestSupport
import Testing

/// U+0000, which PostgreSQL cannot hold, in everything that somebody may send to the console and the gateway's pages.
@Suite(.heavy)
struct ConsoleNullTests {
  private static let root = "/_/console/"

  /// The pages, each with the parameters that it reads.
  private static let pages: [(path: String, names: [String])] = [
    ("", ["q", "x"]), ("find", ["q"]), ("dead", ["q", "done", "number"]), ("event/one", ["function", "done"]),
    ("event/one/fixture", ["function"]), ("functions", ["x"]), ("functions/good", ["x"]), ("functions/doctor", ["x"]),
    ("schedules", ["done"]), ("schedules/tick", ["done"]), ("clock", ["span"]), ("people", ["q", "since", "show"]),
    ("people/ada", ["since", "show"]), ("explain", ["event"]), ("explain/one", ["user", "function"]),
    ("phones", ["user"]), ("try", ["x"]), ("try/item/one", ["x"]), ("nowhere", ["x"]),
  ]

  /// The acts, each with the fields that it reads.
  private static let acts: [(path: String, names: [String])] = [
    ("dead/chosen", ["act", "chosen", "sure"]), ("dead/all", ["act", "q", "sure"]), ("event/one/retry", ["function"]),
    ("event/one/purge", ["function"]), ("event/one/resend", ["function", "sure"]),
    ("event/one/send", ["function", "body", "sure"]), ("event/one/try", ["function", "body"]),
    ("schedules/tick/fire", ["sure"]), ("schedules/tick/pause", ["x"]), ("clock/advance", ["to"]),
    ("clock/realtime", ["x"]), ("functions/good/resume", ["x"]),
    ("phones/tap", ["notification", "device", "action", "text", "of", "at"]),
    ("phones/fail", ["answer", "device", "times"]), ("phones/mend", ["fault"]), ("try/item", ["sure"]),
    ("sign-out", ["x"]),
    ("sign-in", ["key", "next"]),
  ]

  private static let console = Task.detached {
    let console = try await ServedConsole.start()
    try await console.fail("one")
    return console
  }

  /// As they stand in an address: alone, within, beside what UTF-8 refuses, and in front of what is meant.
  private static let values = ["%00", "key:%00", "a%00b", "%00%FF", "%00one"]

  @Test(arguments: pages, values)
  func aParameterIsRefusedInWords(_ page: (path: String, names: [String]), _ value: String) async throws {
    let console = try await Self.console.value
    for query in page.names.map({ "\($0)=\(value)" }) + ["\(value)=x", "x=1&\(page.names[0])=\(value)"] {
      let answer = try await console.get(Self.root + page.path + "?" + query)
      #expect(answer.status == 400 && answer.text.contains("A value has U+0000"), "\(page.path)?\(query)")
    }
  }

  @Test(arguments: acts)
  func aFieldIsRefusedInWords(_ act: (path: String, names: [String])) async throws {
    let console = try await Self.console.value
    let token = try await console.get(Self.root + "dead").token
    for name in act.names + ["token", "a\0b"] {
      let others = act.names.filter { $0 != name }.map { ($0, "1") }
      let answer = try await console.post(
        Self.root + act.path, others + [(name, "a\0b")] + (name == "token" ? [] : [("token", token)]))
      #expect(answer.status == 400 && answer.text.contains("A value has U+0000"), "\(act.path) \(name)")
    }
    #expect(try await console.served.runner.database.query("SELECT FROM runner.dead_letters").count == 1)
  }

  @Test(arguments: ["event/%00", "event/a%00b/fixture", "functions/%00", "schedules/%00", "clock/%00", "people/%00"])
  func aPathLeadsNowhere(_ path: String) async throws {
    let console = try await Self.console.value
    #expect(try await console.get(Self.root + path).status == 404)
    #expect(try await console.post(Self.root + path + "/retry", []).status == 404)
  }

  /// They read no parameters.
  @Test(arguments: ["/", "/_/health", "/_/ready", "/_/state", "/metrics"])
  func theGatewaysOwnAddressesAreAsWithoutIt(_ path: String) async throws {
    let console = try await Self.console.value
    let answer = try await console.get(path + "?function=%00&%00=%00")
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test(arguments: ["key", "next"])
  func whoSignsInIsToldToo(_ name: String) async throws {
    let console = try await ServedConsole.start(environment: ["RUNNER_KEY": ServedConsole.key])
    let answer = try await console.post(
      Self.root + "sign-in", [("key", ServedConsole.key), ("next", "")].filter { $0.0 != name } + [(name, "a\0b")])
    #expect(answer.status == 400 && answer["set-cookie"] == nil && answer.text.contains("A value has U+0000"))
    #expect(try await console.post(Self.root + "sign-in", [("key", ServedConsole.key)]).status == 303)
  }
}
