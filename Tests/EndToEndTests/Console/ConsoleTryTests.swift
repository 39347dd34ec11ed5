import FunctionKit
import Postgres
import TestSupport
import Testing

/// The experiments of a bundle, from the console and from the command line.
@Suite(.heavy)
struct ConsoleTryTests {
  private static let root = "/_/console/"
  private static let manifest = """
    {"title":"Shop & <Co>","functions":{
      "note":{"executable":"note.sh","mode":"oneshot","triggers":[{"table":"items","events":["INSERT"]}]},
      "tick":{"executable":"note.sh","mode":"oneshot","triggers":[{"schedule":"30 0 * * *"}]}},
    "experiments":{
      "item":{"title":"Add an <item>","summary":"Something is told.","sql":["INSERT INTO items","VALUES (1);"]},
      "broken":{"sql":["INSERT INTO items VALUES (2);","SELECT 1 / 0;"]},
      "later":{"clock":"00:30"}}}
    """

  /// A runner whose database is the project's own, or another one.
  private func start(_ mode: String = "on", isOwn: Bool = true) async throws -> ServedConsole {
    // Who has signed in gets a token with every page.
    let runner = try await RunningRunner(
      Self.manifest, scripts: ["note.sh": "cat > /dev/null"], environment: ["RUNNER_KEY": ServedConsole.key])
    try await runner.database.script("CREATE TABLE items (id int PRIMARY KEY)")
    if isOwn { try runner.ownDatabase() }
    let console = ServedConsole(served: try await runner.start(options: ["--console", mode]))
    let field = try await console.post(Self.root + "sign-in", [("key", ServedConsole.key)])["set-cookie"]
    return console.with(cookie: String(try #require(field).prefix { $0 != ";" }))
  }

  private func items(_ console: ServedConsole) async throws -> Int {
    try await console.served.runner.database.query("SELECT FROM items").count
  }

  @Test func aButtonDoesItOnceAndSaysWhatCameOfIt() async throws {
    let console = try await start()

    let page = try await console.get(Self.root + "try")
    #expect(page.text.contains(">Shop &amp; &lt;Co&gt;</a>") && page.text.contains(">Add an &lt;item&gt;</button>"))
    #expect(page.text.contains("INSERT INTO items\nVALUES (1);") && page.text.contains("runner try item"))
    let shared = try await console.get(Self.root + "try?format=json")
    #expect(shared.status == 200 && shared.text.contains(#""summary": "Something is told.""#), "\(shared.text)")
    let table = try await console.get(Self.root + "try?format=csv")
    #expect(table.text.contains(#""item","Add an <item>","Something is told.""#), "\(table.text)")
    let sure = try #require(page.text.firstMatch(of: /name="sure" value="([^"]+)"/).map { String($0.1) })
    let form = [("sure", sure), ("token", page.token)]
    let answers = try await withThrowingTaskGroup { group in
      for _ in 0..<4 { group.addTask { try await console.post(Self.root + "try/item", form) } }
      return try await group.reduce(into: [ServedConsole.Answer]()) { $0.append($1) }
    }

    #expect(answers.allSatisfy { $0.status == 303 }, "\(answers)")
    #expect(Set(answers.map { $0["location"] }).count == 1, "one outcome for all")
    #expect(try await items(console) == 1)
    let outcome = try await console.get(try #require(answers[0]["location"]))
    #expect(outcome.text.contains("<h1>Add an &lt;item&gt;</h1>") && outcome.text.contains("INSERT public.items"))
    #expect(outcome.text.contains(/href="\/_\/console\/event\/[^"]+\?function=note"/))
    #expect(outcome.text.contains(#"<pre tabindex="0" role="region""#))
    let outcomes = try await console.get("\(try #require(answers[0]["location"]))?format=csv")
    #expect(outcomes.status == 200 && outcomes.text.contains("\"note\",\"INSERT public.items\","), "\(outcomes.text)")
    #expect(try await console.get(Self.root + "try/item/other").status == 404)
    #expect(try await console.post(Self.root + "try/nothing", form).status == 404)
    #expect(try await console.post(Self.root + "try/item", [("sure", "new")]).status == 403)
    #expect(try await items(console) == 1)
  }

  @Test func aFailedExperimentLeavesNothingAndTheClockGoesToItsTime() async throws {
    let console = try await start()
    let runner = console.served.runner

    let broken = try await runner.run(["try", "broken"])
    #expect(broken.exit == 70 && broken.stderr.contains("division by zero"), "\(broken)")
    #expect(try await items(console) == 0)
    let later = try await runner.run(["try", "later", "--json"], timeout: .seconds(300))
    #expect(later.exit == 0 && later.stdout.contains(#""function":"tick""#), "\(later)")
    let time = try await runner.database.query(
      "SELECT (runner.now() AT TIME ZONE 'UTC')::time BETWEEN '00:30' AND '00:45' AS yes")
    #expect(try time.only().decode("yes"))
    let list = try await runner.run(["try"])
    #expect(list.exit == 0 && list.stdout.contains("Something is told.") && list.stdout.contains("later"))
    let wrong = try await runner.run(["try", "itme"])
    #expect(wrong.exit == 64 && wrong.stderr.contains("did you mean item?"), "\(wrong.stderr)")
  }

  @Test func aDatabaseThatIsNotTheProjectsOwnAndAReadOnlyConsoleRefuse() async throws {
    let foreign = try await start(isOwn: false)
    let first = try await foreign.get(Self.root)
    let token = first.token
    #expect(!token.isEmpty && !first.text.contains("Try it"))
    #expect(try await foreign.get(Self.root + "try").status == 404)
    #expect(try await foreign.post(Self.root + "try/item", [("token", token)]).status == 404)
    let command = try await foreign.served.runner.run(["try", "item"])
    #expect(command.exit == 78 && command.stderr.contains("Nothing was done"), "\(command)")
    #expect(try await items(foreign) == 0)

    let looking = try await start("read-only")
    let page = try await looking.get(Self.root + "try")
    #expect(page.text.contains("Add an &lt;item&gt;") && !page.text.contains("<button>Add"))
    let forged = try await looking.post(Self.root + "try/item", [("token", page.token), ("sure", "x")])
    #expect(forged.status == 403 && forged.text.contains("This console is read-only: start"), "\(forged.text)")
    #expect(try await items(looking) == 0)
  }

  /// The experiments that `functions.json` of this bundle offers, done one after the other.
  @Test func theBundlesOwnExperimentsTellSomebodyAndNotEverybody() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    let runner = bundle.runner
    try runner.project.write(runner.databaseURL, to: ".runner/database-url")
    try await bundle.settle()
    func lines(_ name: String) async throws -> [String] {
      let outcome = try await runner.run(["try", name, "--json"], timeout: .seconds(300))
      #expect(outcome.exit == 0, "\(outcome.stderr)")
      return try outcome.stdout.split(separator: "\n").compactMap {
        try RawJSON(validating: Array($0.utf8)[...])["line"]?.stringValue
      }
    }

    let comment = try await lines("comment")
    let expected =
      ["Grace", "Ada", "Eva"].map { "told \($0) " } + ["Chloe", "Dan", "Finn"].map { "did not tell \($0) " }
    let said = comment.filter { $0.contains("new_comment") }
    for beginning in expected { #expect(said.contains { $0.hasPrefix(beginning) }, "\(beginning): \(comment)") }
    let vote = try await lines("vote")
    #expect(vote.contains { $0.hasPrefix("told Grace ") }, "\(vote)")
    let again = try await lines("vote")
    #expect(again.contains { $0.hasPrefix("holds for Grace ") && $0.hasSuffix(": batched") }, "\(again)")
    #expect(try await phones.pushes().contains { $0["token"]?.stringValue?.hasPrefix("a7") == true })
    _ = try await lines("evening")
    let status = try await lines("status")
    #expect(status.contains { $0.hasPrefix("holds for Grace ") && $0.hasSuffix(": quiet_hours") }, "\(status)")
    let morning = try await lines("morning")
    #expect(morning.contains { $0.hasPrefix("told Grace") }, "\(morning)")
    let recent = try await runner.run(["why", "--recent", "--function", "release-held", "--json"])
    #expect(recent.stdout.contains(#""title":"Quiet hours ended""#), "\(recent)")
  }

  /// The event that fails can be corrected and sent, and leaves nothing.
  @Test func theBundlesExperimentThatFailsIsMendedByWhatItsPageOffers() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    let runner = bundle.runner
    try runner.project.write(runner.databaseURL, to: ".runner/database-url")
    try await bundle.settle()

    let outcome = try await runner.run(["try", "fail", "--json"], timeout: .seconds(300))
    let dead = try await runner.run(["events", "dead", "--json"]).stdout
    let id = try #require(RawJSON(validating: Array(dead.utf8)[...]).elements?.first?["id"]?.stringValue)
    let event = try await runner.run(["export", id]).stdout
    func told() async throws -> Int {
      try await phones.pushes().count { $0.printable.contains("Ben answered") }
    }
    let before = try await told()
    let corrected = event.replacing("new_coment", with: "new_comment")
    let sent = try await runner.run(["resend", id, "--event", "-"], stdin: corrected)
    try await bundle.settle()
    let purged = try await runner.run(["events", "purge", id])

    #expect(outcome.exit == 0 && outcome.stdout.contains(#""code":"INVALID_EVENT""#), "\(outcome)")
    #expect(outcome.stdout.contains("record.type (new_coment) is no kind of feedbackkit"), "\(outcome)")
    let said = try await runner.run(["try", "fail"], timeout: .seconds(300))
    #expect(said.stdout.contains(/INVALID_EVENT +[0-9.]+ ms +record\.type \(new_coment\) is no kind of/), "\(said)")
    #expect(event.contains("new_coment") && sent.exit == 0 && purged.exit == 0, "\(sent) \(purged)")
    #expect(try await (before, told()) == (0, 1))
    #expect(try await runner.database.query("SELECT FROM runner.dead_letters").count == 1, "that of later")
  }
}
