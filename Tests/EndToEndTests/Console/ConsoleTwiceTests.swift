import Foundation
import Postgres
import TestSupport
import Testing

/// A double click, and buttons that many press at once.
@Suite(.heavy)
struct ConsoleTwiceTests {
  private static let root = "/_/console/"

  /// Waits until the dead letters are dead again, and nothing else is to come.
  private func settle(_ console: ServedConsole) async throws {
    try await console.served.runner.wait(
      until: """
        (SELECT count(*) FROM runner.dead_letters) = 2 AND NOT EXISTS (SELECT FROM runner.retries)
        AND NOT EXISTS (SELECT FROM runner.events)
        """)
  }

  private func attempts(_ console: ServedConsole) async throws -> Int {
    try await console.served.runner.database.query(
      "SELECT count(*) AS number FROM runner.history WHERE function = 'bad'"
    ).only().decode("number")
  }

  private func field(_ name: String, of page: ServedConsole.Answer) throws -> (String, String) {
    let pattern = try Regex(#"name="\#(name)" value="([^"]*)""#, as: (Substring, Substring).self)
    return (name, String(try #require(page.text.firstMatch(of: pattern)).1))
  }

  /// Presses a button eight times at once.
  private func press(
    _ path: String, _ form: [(String, String)], at console: ServedConsole
  ) async throws -> [ServedConsole.Answer] {
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { try await console.post(Self.root + path, form) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// The address and the fields of a button.
  private func button(
    _ place: String, _ act: String, at console: ServedConsole
  ) async throws -> (path: String, form: [(String, String)]) {
    let list = try await console.get(Self.root + "dead")
    let token = ("token", list.token)
    switch place {
    case "event":
      let page = try await console.get(Self.root + "event/one?function=bad")
      return ("event/one/\(act)", [token, ("function", "bad"), try field("died", of: page)])
    case "one chosen":
      return ("dead/chosen", [token, ("act", act), ("chosen", "bad one"), try field("died", of: list)])
    case "two chosen":
      let form = [token, ("act", act), ("chosen", "bad one"), ("chosen", "bad two"), try field("died", of: list)]
      let question = try await console.post(Self.root + "dead/chosen", form)
      #expect(question.text.contains("2 dead letters?"))
      return ("dead/chosen", form + [try field("sure", of: question)])
    default:
      let question = try await console.post(
        Self.root + "dead/all", [token, ("act", act), ("q", place == "all" ? "" : "function:bad")])
      #expect(question.text.contains("2 dead letters?"))
      let fields = [try field("sure", of: question), try field("died", of: question), try field("q", of: question)]
      return ("dead/all", [token, ("act", act)] + fields)
    }
  }

  @Test(arguments: ["event", "one chosen", "two chosen", "all", "all of a filter"])
  func aRetryIsDoneOnceAlsoIfItFailsAtOnce(_ place: String) async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one", "two")
    let number = ["event", "one chosen"].contains(place) ? 1 : 2
    let (path, form) = try await button(place, "retry", at: console)

    let answers = try await press(path, form, at: console)
    try await settle(console)
    #expect(try await attempts(console) == 2 + number)
    #expect(answers.contains { $0.status == 303 })
    #expect(answers.allSatisfy { [303, 404, 409].contains($0.status) }, "\(answers.map(\.status))")
    // The second press of a slow double click, when it has died again.
    let late = try await console.post(Self.root + path, form)
    #expect([404, 409].contains(late.status) || late["location"]?.hasSuffix("number=0") == true, "\(late)")
    try await settle(console)
    #expect(try await attempts(console) == 2 + number)
    // A page that is loaded again may.
    let (again, fresh) = try await button(place, "retry", at: console)
    #expect(try await console.post(Self.root + again, fresh).status == 303)
    try await settle(console)
    #expect(try await attempts(console) == 2 + 2 * number)
  }

  @Test(arguments: ["event", "one chosen", "two chosen", "all", "all of a filter"])
  func whatHasDiedAgainIsNotPurgedByAnOldPage(_ place: String) async throws {
    let console = try await ServedConsole.start()
    try await console.fail("one", "two")
    let (path, form) = try await button(place, "purge", at: console)
    for id in ["one", "two"] {
      #expect(try await console.served.runner.run(["events", "retry", id, "--function", "bad"]).exit == 0)
    }
    try await settle(console)

    let answers = try await press(path, form, at: console)
    #expect(answers.allSatisfy { $0.status != 303 || $0["location"]?.hasSuffix("number=0") == true })
    #expect(try await console.served.runner.database.query("SELECT FROM runner.dead_letters").count == 2)
  }

  @Test func aPhoneIsTappedOnceAndAFaultIsSetOnce() async throws {
    let runner = try await RunningRunner(
      #"""
      {"functions":{},"commands":{"phones":{"executable":"./phones.sh"}},
        "panels":{"phones":{"command":"phones","kind":"phones","title":"Phones"}}}
      """#,
      scripts: [
        "phones.sh": #"[ "$1" = --json ] || echo "$*" >> acts; echo '{"phones":[],"hasMore":false,"faults":[]}'"#
      ])
    let console = ServedConsole(served: try await runner.start(options: ["--console", "on"]))
    let page = try await console.get(Self.root + "phones")
    let form = [("token", page.token), try field("sure", of: page), ("at", "main")]
    func acts() throws -> [Substring] {
      try String(contentsOfFile: "\(runner.project.path)/acts", encoding: .utf8).split(separator: "\n")
    }

    for (word, fields) in [
      ("fail", [("answer", "410"), ("times", "1")]), ("tap", [("notification", "n"), ("action", "LATER")]),
      ("tap", [("notification", "n"), ("action", "REPLY"), ("text", "yes")]), ("mend", [("fault", "1")]),
    ] {
      let answers = try await press("phones/\(word)", form + fields, at: console)
      #expect(answers.allSatisfy { $0.status == 303 }, "\(word): \(answers)")
    }
    #expect(try acts().count == 4)
    let other = form.filter { $0.0 != "sure" } + [("sure", "another"), ("answer", "410"), ("times", "1")]
    #expect(try await console.post(Self.root + "phones/fail", other).status == 303)
    #expect(try acts().count == 5)
  }
}
