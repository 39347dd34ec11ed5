import Postgres
import TestSupport
import Testing

/// How long signing out lasts.
@Suite(.heavy)
struct ConsoleSignOutTests {
  private static let root = "/_/console/"

  private func signOut(_ person: ServedConsole) async throws -> ServedConsole.Answer {
    try await person.post(Self.root + "sign-out", [("token", try await person.get(Self.root).token)])
  }

  @Test(arguments: ["on", "read-only"])
  func noRunnerTakesTheCookieAgain(_ mode: String) async throws {
    let console = try await ServedConsole.start(
      ["--console", mode], environment: ["RUNNER_KEY": ServedConsole.key])
    let other = ServedConsole(served: try await console.served.runner.start(options: ["--console", mode]))
    let (person, another) = (try await console.signedIn(), try await console.signedIn())
    let copy = person.sent(to: other)
    #expect(try await copy.get(Self.root).status == 200)

    let answer = try await signOut(person)
    #expect(answer.status == 303 && answer["set-cookie"]?.contains("Max-Age=0") == true)
    #expect(try await person.get(Self.root).status == 401)
    #expect(try await copy.get(Self.root).status == 401)
    // The page that follows changes reads itself, and is told nothing more.
    let changes = try await copy.get(Self.root + "changes").text
    #expect(changes.contains("event: hello") && !changes.contains("event: change"))
    #expect(try await copy.post(Self.root + "dead/all", [("act", "purge"), ("token", "x")]).status == 401)
    // Only this session is at its end.
    #expect(try await another.get(Self.root).status == 200)
    let restarted = try await person.restarted(["--console", mode])
    #expect(try await restarted.get(Self.root).status == 401)
    #expect(try await another.sent(to: restarted).get(Self.root).status == 200)
    // The key alone opens the page: no session is needed.
    #expect(try await restarted.get(Self.root, headers: [("apikey", ServedConsole.key)]).status == 200)
  }

  @Test func noCookieIsKept() async throws {
    let console = try await ServedConsole.start(environment: ["RUNNER_KEY": ServedConsole.key])
    let person = try await console.signedIn()
    let database = console.served.runner.database
    try await database.script("INSERT INTO runner.sign_outs VALUES ('old', now() - interval '31 days')")

    _ = try await signOut(person)
    let kept = try await database.query("SELECT session FROM runner.sign_outs").decode("session", as: String.self)
    #expect(kept.count == 1 && kept[0].wholeMatch(of: /[0-9a-f]{64}/) != nil)
  }

  @Test func whileTheDatabaseIsAwayNobodySignsOutAndWhoWasSignedInGoesOn() async throws {
    let cluster = try await RunningRunner.cluster()
    let console = try await ServedConsole.start(
      environment: ["RUNNER_KEY": ServedConsole.key], database: cluster.url())
    console.served.runner.expectsOvertaken = true
    let (person, early) = (try await console.signedIn(), try await console.signedIn())
    let token = try await person.get(Self.root).token
    let ended = try await signOut(early)
    #expect(ended.status == 303)

    try await cluster.kill()
    #expect(try await person.get(Self.root + "functions").status == 200)
    #expect(try await early.get(Self.root + "functions").status == 503)
    let answer = try await person.post(Self.root + "sign-out", [("token", token)])
    #expect(answer.status == 503 && answer["set-cookie"] == nil && answer.text.contains("Nothing was done."))

    try await cluster.start()
    #expect(try await person.get(Self.root).status == 200)
    #expect(try await early.get(Self.root).status == 401)
  }
}
