import Foundation
import FunctionKit
import Postgres
import Signing
import TestSupport
import Testing

/// Who sees the console, and what it refuses.
@Suite(.heavy)
struct ConsoleAccessTests {
  private static let root = "/_/console/"

  /// For tests that do not guess.
  ///
  /// A detached task belongs to no test, so its database outlasts each.
  private static let guarded = Task.detached {
    try await ServedConsole.start(environment: ["RUNNER_KEY": ServedConsole.key])
  }

  @Test func withAKeySomebodySignsInAndOut() async throws {
    let console = try await ServedConsole.start(environment: ["RUNNER_KEY": ServedConsole.key])

    let asked = try await console.get(Self.root + "dead?q=state:dead")
    #expect(asked.status == 401 && asked.text.contains("type=\"password\"") && asked.text.contains("dead?q=state:dead"))
    #expect(!asked.text.contains("good"))
    #expect(try await console.get(Self.root + "changes").status == 401)
    #expect(try await console.get(Self.root, headers: [("Cookie", "console-00000000=1.2.3")]).status == 401)
    let wrong = try await console.post(Self.root + "sign-in", [("key", "wrong"), ("next", "")])
    #expect(wrong.status == 401 && wrong["set-cookie"] == nil)

    let signed = try await console.post(
      Self.root + "sign-in", [("key", ServedConsole.key), ("next", "/_/console/dead")])
    let field = try #require(signed["set-cookie"])
    #expect(signed.status == 303 && signed["location"] == "/_/console/dead")
    #expect(field.contains("HttpOnly") && field.contains("SameSite=Strict") && field.contains("Path=/_/console"))
    #expect(!field.contains(ServedConsole.key))
    let person = console.with(cookie: String(field.prefix { $0 != ";" }))
    let page = try await person.get(Self.root)
    #expect(page.status == 200 && page.text.contains("Sign out"))
    #expect(try await person.post(Self.root + "sign-out", []).status == 403)
    #expect(try await person.post(Self.root + "sign-out", [("token", page.token)]).status == 303)
    #expect(try await person.get(Self.root).status == 401)
  }

  /// `BAD` stands for cookies of the name that are none, which a page at another port may set.
  @Test(arguments: [
    ["GOOD"], ["BAD; GOOD"], ["GOOD; BAD"], ["BAD", "GOOD"], ["GOOD", "BAD"], ["other=1; BAD; GOOD; other=2"], ["BAD"],
  ])
  func ofSeveralCookiesOfTheNameAnyGoodOneCounts(_ fields: [String]) async throws {
    let console = try await Self.guarded.value
    let field = try await console.post(Self.root + "sign-in", [("key", ServedConsole.key)])["set-cookie"]
    let good = try #require(field).prefix { $0 != ";" }
    let name = good.prefix { $0 != "=" }
    let end = Int(Date.now.timeIntervalSince1970) + 3_600
    let bad = ["", "x", "\(end).x.x", "\(end).\(good.split(separator: ".").dropFirst().joined(separator: "."))"]
    let headers = fields.map { text in
      let all = text.replacing("BAD", with: bad.map { "\(name)=\($0)" }.joined(separator: "; "))
      return (name: "Cookie", value: all.replacing("GOOD", with: good))
    }

    #expect(try await console.get(Self.root, headers: headers).status == (fields == ["BAD"] ? 401 : 200))
    guard fields.joined().contains("GOOD") else { return }
    // Signing out ends it wherever it stands.
    let token = try await console.get(Self.root, headers: headers).token
    #expect(try await console.post(Self.root + "sign-out", [("token", token)], headers: headers).status == 303)
    #expect(try await console.with(cookie: String(good)).get(Self.root).status == 401)
  }

  /// A cookie made with the key: one of a session that has ended, one of a session that has not.
  @Test(arguments: [(-1, 401), (3_600, 200)])
  func aSessionEndsByItsTime(_ seconds: Int, _ status: Int) async throws {
    let console = try await Self.guarded.value
    func secret(_ purpose: String) -> [UInt8] {
      HMACSHA256.code(for: Array(purpose.utf8), key: Array(ServedConsole.key.utf8))
    }
    let text = "\(Int(Date.now.timeIntervalSince1970) + seconds).x"
    let code = Data(HMACSHA256.code(for: Array(text.utf8), key: secret("console session"))).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    let person = console.with(cookie: "console-\(SHA256.hex(secret("console cookie")).prefix(8))=\(text).\(code)")

    #expect(try await person.get(Self.root).status == status)
  }

  @Test(arguments: ["//evil.example/", "https://evil.example/", "/_/state", "/_/console/\\evil", "/_/console/\r\nX: y"])
  func signingInLeadsNowhereElse(_ next: String) async throws {
    let console = try await Self.guarded.value
    let signed = try await console.post(Self.root + "sign-in", [("key", ServedConsole.key), ("next", next)])
    #expect(signed.status == 303 && signed["location"] == Self.root && signed["x"] == nil)
  }

  @Test func guessesAreSlowed() async throws {
    let console = try await ServedConsole.start(environment: ["RUNNER_KEY": ServedConsole.key])
    var statuses: [Int] = []
    for number in 0..<7 {
      statuses.append(try await console.post(Self.root + "sign-in", [("key", "wrong \(number)")]).status)
    }
    #expect(statuses.prefix(5) == [401, 401, 401, 401, 401] && statuses.last == 429)
    // The right key waits, too: else it could be told from a wrong one.
    let late = try await console.post(Self.root + "sign-in", [("key", ServedConsole.key)])
    #expect(late.status == 429 && late["retry-after"] != nil)
  }

  @Test(arguments: ["apikey", "Authorization"])
  func guessesInTheHeadAreSlowedAsMuch(_ field: String) async throws {
    let console = try await ServedConsole.start(environment: ["RUNNER_KEY": ServedConsole.key])
    func ask(_ key: String) async throws -> ServedConsole.Answer {
      try await console.get(Self.root, headers: [(field, field == "apikey" ? key : "Bearer \(key)")])
    }
    // What a proxy asks for is no key.
    for _ in 0..<7 {
      #expect(try await console.get(Self.root, headers: [("Authorization", "Basic eDp5")]).status == 401)
    }
    var statuses: [Int] = []
    for number in 0..<7 { statuses.append(try await ask("wrong \(number)").status) }
    #expect(statuses.prefix(5) == [401, 401, 401, 401, 401] && statuses.last == 429)
    let late = try await ask(ServedConsole.key)
    #expect(late.status == 429 && late["retry-after"] != nil)
    // The form and the head are counted together.
    #expect(try await console.post(Self.root + "sign-in", [("key", ServedConsole.key)]).status == 429)
  }

  @Test func whatDoesNotComeFromItsOwnPagesIsRefused() async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one")
    let token = try await console.get(Self.root + "dead").token
    let act = [("act", "purge"), ("chosen", "bad one")]
    let path = Self.root + "dead/chosen"

    let refused: [([(String, String)], [(name: String, value: String)])] = [
      (act, []), (act + [("token", "x")], []), (act + [("token", token)], [("Sec-Fetch-Site", "cross-site")]),
      (act + [("token", token)], [("Sec-Fetch-Site", "same-site")]),
      (act + [("token", token)], [("Sec-Fetch-Site", "none")]),
      (act + [("token", token)], [("Origin", "https://evil.example")]),
      (act + [("token", token)], [("Origin", "null")]), (act + [("token", token)], [("Host", "evil.example")]),
    ]
    for (form, headers) in refused {
      #expect(try await console.post(path, form, headers: headers).status == 403, "\(headers)")
    }
    for page in [Self.root, Self.root + "changes"] {
      #expect(try await console.get(page, headers: [("Sec-Fetch-Site", "cross-site")]).status == 403)
      #expect(try await console.get(page, headers: [("Host", "rebound.example")]).status == 403)
    }
    #expect(try await console.get(path + "?act=purge&chosen=bad+one").status == 404)
    #expect(try await console.served.runner.database.query("SELECT 1 FROM runner.dead_letters").count == 1)
    let own = try await console.post(
      path, act + [("token", token)], headers: [("Sec-Fetch-Site", "same-origin"), ("Origin", console.served.url)])
    #expect(own.status == 303)
  }

  @Test func whatIsReadOnlyChangesNothing() async throws {
    let environment = ["RUNNER_KEY": ServedConsole.key]
    let console = try await ServedConsole.start([], environment: environment).signedIn()
    try await console.fail("one")
    let page = try await console.get(Self.root + "dead")
    let event = try await console.get(Self.root + "event/one?function=bad")

    #expect(page.text.contains("read-only") && !page.text.contains("Purge the chosen"))
    #expect(!event.text.contains(">Retry<") && !event.text.contains("Dry run"))
    // Somebody may make the form by hand, with the token of the button that signs out.
    let token = page.token
    #expect(!token.isEmpty)
    for (path, form) in [
      ("dead/chosen", [("act", "purge"), ("chosen", "bad one")]), ("dead/all", [("act", "retry"), ("sure", "1")]),
      ("event/one/retry", [("function", "bad")]), ("event/one/resend", [("function", "bad")]),
      ("event/one/send", [("function", "bad"), ("body", "{}")]),
      ("event/one/send", [("function", "bad"), ("body", "{}"), ("sure", "x")]),
      ("event/one/try", [("function", "bad"), ("body", "{}")]),
      ("schedules/tick/fire", []),
      ("schedules/tick/pause", []), ("clock/advance", [("to", "2100-01-01")]), ("functions/good/resume", []),
    ] {
      let answer = try await console.post(Self.root + path, form + [("token", token)])
      #expect(answer.status == 403 && answer.text.contains("This console is read-only"), "\(path)")
    }
    #expect(try await console.served.runner.database.query("SELECT 1 FROM runner.dead_letters").count == 1)
  }

  @Test func offIsOff() async throws {
    let console = try await ServedConsole.start(["--console", "off"])
    for path in ["", "dead", "changes", "assets/x/console.css"] {
      #expect(try await console.get(Self.root + path).status == 404)
    }
    #expect(try await console.get("/", headers: [("Accept", "text/html")]).status == 200)
  }
}
