import Postgres
import TestSupport
import Testing

/// The console while its database is away, after a restart, and where two people do the same.
@Suite(.heavy)
struct ConsoleTroubleTests {
  private static let root = "/_/console/"

  @Test func everyPageSaysThatTheDatabaseIsAwayAndComesBack() async throws {
    let cluster = try await RunningRunner.cluster()
    let console = try await ServedConsole.start(database: cluster.url())
    console.served.runner.expectsOvertaken = true
    try await console.fail("one")
    let token = try await console.get(Self.root + "dead").token
    let pages = [
      "", "dead", "schedules", "schedules/tick", "clock", "clock?span=8d", "event/one?function=bad", "find?q=x",
    ]

    try await cluster.kill()
    for page in pages {
      let answer = try await console.get(Self.root + page)
      #expect(answer.status == 503 && answer.text.contains("<h1>The database does not answer</h1>"), "\(page)")
      #expect(answer["refresh"] == "10" && answer.text.contains("comes back by itself"), "\(page)")
    }
    // The counts are read once a second, and less often if that takes long.
    try await console.wait(for: "The database does not answer, so these counts", on: Self.root + "functions")
    for (path, form) in [("dead/all", [("act", "purge")]), ("event/one/retry", [("function", "bad")])] {
      let act = try await console.post(Self.root + path, form + [("token", token)])
      #expect(act.status == 503 && act["refresh"] == nil && !act.text.contains("comes back"), "\(path): \(act.text)")
    }

    try await cluster.start()
    for page in pages { #expect(try await console.get(Self.root + page).status == 200, "\(page)") }
    // The database's crash may have taken the end of the attempt with it; then there is another one.
    try await console.wait(for: "INVALID_EVENT", on: Self.root + "event/one?function=bad")
  }

  @Test func anExperimentSaysThatTheDatabaseIsAwayAndWorksWhenItIsBack() async throws {
    let cluster = try await RunningRunner.cluster()
    let runner = try await RunningRunner(
      #"""
      {"functions":{"good":{"executable":"good.sh","mode":"oneshot"}},
        "experiments":{"item":{"sql":["CREATE TABLE items ();"]}}}
      """#, scripts: ServedConsole.scripts, database: cluster.url())
    runner.expectsOvertaken = true
    try runner.ownDatabase()
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    func press() async throws -> ServedConsole.Answer {
      let page = try await console.get(Self.root + "try")
      let sure = page.text.firstMatch(of: /name="sure" value="([^"]+)"/).map { String($0.1) }
      return try await console.post(Self.root + "try/item", [("sure", try #require(sure)), ("token", page.token)])
    }

    try await cluster.kill()
    let away = try await press()
    #expect(away.status == 503 && away.text.contains("The database does not answer"), "\(away.text)")
    #expect(!away.text.contains("rows were changed"))
    try await cluster.start()
    var back = try await press()
    let (deadline, pauses) = (ContinuousClock.now + .seconds(120), Pauses())
    // The runner takes a moment to come back, too.
    while back.status == 503, .now < deadline {
      try await pauses.next()
      back = try await press()
    }
    #expect(back.status == 303, "\(back.text)")
    #expect(try await runner.database.query("SELECT FROM items").isEmpty)
  }

  @Test func whatTakesTooLongIsSaidAndNotAskedAgain() async throws {
    let console = try await ServedConsole.start()
    let database = console.served.runner.database
    try await database.transaction { transaction in
      _ = try await transaction.query("LOCK TABLE runner.dead_letters IN ACCESS EXCLUSIVE MODE")
      let page = try await console.get(Self.root + "dead")
      #expect(page.status == 504 && page.text.contains("<h1>This took too long</h1>") && page["refresh"] == nil)
    }
    #expect(try await console.get(Self.root + "dead").status == 200)
  }

  @Test func aPageThatShowsNoCountsDoesNotWaitForThem() async throws {
    let console = try await ServedConsole.start()
    try await console.served.runner.database.transaction { transaction in
      _ = try await transaction.query("LOCK TABLE runner.events IN ACCESS EXCLUSIVE MODE")
      #expect(try await console.get(Self.root + "dead").status == 200)
    }
    // Had they been begun, they would have ended with a problem, and not be read again for a while.
    let page = try await console.get(Self.root + "functions")
    #expect(page.status == 200 && !page.text.contains("so these counts"), "\(page.text)")
  }

  @Test func aFormFromBeforeARestartIsRefusedInWords() async throws {
    let before = try await ServedConsole.start()
    try await before.fail("one", "two")
    let token = try await before.get(Self.root + "dead").token
    let console = try await before.restarted()

    let purge = try await console.post(
      Self.root + "dead/chosen", [("act", "purge"), ("chosen", "bad one"), ("token", token)])
    #expect(purge.status == 403 && purge.text.contains("<h1>That was not done</h1>"))
    #expect(purge.text.contains("The page is older than the runner") && purge.text.contains("Nothing was done."))
    #expect(try await console.served.runner.database.query("SELECT FROM runner.dead_letters").count == 2)
    let fresh = try await console.get(Self.root + "dead").token
    let again = try await console.post(
      Self.root + "dead/chosen", [("act", "purge"), ("chosen", "bad one"), ("token", fresh)])
    #expect(fresh != token && again["location"] == "/_/console/dead?done=purged&number=1")
  }

  @Test(arguments: ["retry", "purge"], ["retry", "purge"])
  func ofTwoPeopleWithOneDeadLetterTheSecondIsTold(_ first: String, _ second: String) async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one", "two")
    let token = try await console.get(Self.root + "dead").token
    try console.served.runner.project.write("", to: "mended")
    func act(_ word: String, on id: String) async throws -> ServedConsole.Answer {
      try await console.post(Self.root + "event/\(id)/\(word)", [("function", "bad"), ("token", token)])
    }
    func choose(_ word: String, _ id: String) async throws -> ServedConsole.Answer {
      try await console.post(
        Self.root + "dead/chosen", [("act", word), ("chosen", "bad \(id)"), ("token", token)])
    }

    #expect(try await act(first, on: "one").status == 303)
    let late = try await act(second, on: "one")
    #expect(late.status == 409 && late.text.contains("no dead letter any more: somebody has retried or purged it"))
    let (one, other) = (try await choose(first, "two"), try await choose(second, "two"))
    #expect(one["location"]?.hasSuffix("number=1") == true && other["location"]?.hasSuffix("number=0") == true)
    let told = try await console.get(try #require(other["location"]))
    #expect(
      told.text.contains("are no dead letters any more. Somebody was faster.") && !told.text.contains("callout good"))
    // What was retried has run once more, and what was purged has not.
    let runs = first == "retry" ? 2 : 0
    try await console.served.runner.wait(
      until: "(SELECT count(*) FROM runner.history WHERE function = 'bad' AND code = 'OK') = \(runs)")
    #expect(try await console.served.runner.database.query("SELECT FROM runner.dead_letters").isEmpty)
  }
}
