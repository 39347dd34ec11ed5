import FunctionKit
import Postgres
import TestSupport
import Testing

/// A page as a link, as JSON and as CSV.
@Suite(.heavy)
struct ConsoleSharingTests {
  private static let root = "/_/console/"

  private static func json(_ text: String) throws -> RawJSON { try RawJSON(validating: Array(text.utf8)[...]) }

  /// The document that a page is shared as is the one that the command prints.
  @Test func aPagesJSONIsWhatTheCommandPrints() async throws {
    let console = try await ServedConsole.start()
    try await console.fail("<i>", "=two")
    let event = "event/%3Ci%3E?function=bad"

    for (page, command) in [
      ("", ["events", "list"]), ("dead", ["events", "list", "--state", "dead"]),
      ("?q=state:dead", ["events", "list", "--state", "dead"]), (event, ["events", "show", "<i>"]),
      ("functions", ["list"]), ("schedules", ["schedules", "list"]),
      ("schedules/tick", ["schedules", "history", "tick"]),
    ] {
      let shown = try await console.get(Self.root + page)
      let found = try #require(shown.text.firstMatch(of: /href="([^"]*format=json)"/)?.1)
      let link = String(found).replacing("&amp;", with: "&")
      let shared = try await console.get(link)
      #expect(shared.status == 200 && shared["content-type"] == "application/json", "\(link)")
      #expect(shared["content-disposition"]?.hasPrefix("inline; filename=\"") == true, "\(link)")
      for name in ["cache-control", "content-security-policy", "x-content-type-options", "referrer-policy"] {
        #expect(shared[name] == shown[name], "\(link): \(name)")
      }
      let printed = try await console.served.runner.run(command + ["--json"])
      #expect(printed.exit == 0, "\(printed.stderr)")
      #expect(try Self.json(shared.text).pretty == Self.json(printed.stdout).pretty, "\(link)")
    }
    let clock = try Self.json(try await console.get(Self.root + "clock?span=1d&format=json").text)
    #expect(clock["virtual"] == RawJSON(false))
  }

  @Test func aListsCSVHasItsRowsAndNoFormula() async throws {
    let console = try await ServedConsole.start()
    try await console.fail("=cmd|' /C calc'!A0", "tw\\\"o", "other")
    let address = Self.root + "dead?q=function:bad&format=csv"

    let table = try await console.get(address)
    #expect(table.status == 200 && table["content-type"] == "text/csv; charset=utf-8; header=present")
    #expect(table["content-disposition"] == "attachment; filename=\"dead.csv\"")
    #expect(table["cache-control"] == "no-store" && table["x-content-type-options"] == "nosniff")
    let lines = table.text.split(separator: "\r\n")
    #expect(lines.count == 4 && lines[0].hasPrefix("\"at\",\"state\",\"function\""), "\(table.text)")
    #expect(table.text.contains(",\"'=cmd|' /C calc'!A0\",") && table.text.contains(",\"tw\"\"o\","))
    let one = try await console.get(Self.root + "dead?q=other&format=csv")
    #expect(one.text.split(separator: "\r\n").count == 2)

    let head = try await console.head(address)
    #expect(head.status == 200 && head.text.isEmpty && head["content-type"] == table["content-type"])
    #expect(head["content-length"] == "\(table.text.utf8.count)")
    for (page, name) in [
      ("", "events"), ("functions", "functions"), ("functions/doctor", "functions-doctor"), ("schedules", "schedules"),
      ("functions/bad", "functions-bad"), ("schedules/tick", "schedules-tick"), ("clock", "clock"),
    ] {
      let table = try await console.get("\(Self.root)\(page)?format=csv")
      #expect(table.status == 200, "\(page): \(table.text)")
      #expect(table["content-disposition"] == "attachment; filename=\"\(name).csv\"")
    }
  }

  @Test func aLinkIsTheViewWithoutWhatWasJustDone() async throws {
    let console = try await ServedConsole.start()
    func link(_ path: String) async throws -> String {
      let page = try await console.get(Self.root + path)
      let link = try #require(page.text.firstMatch(of: /id="copy-view" href="([^"]*)"/)?.1)
      return String(link).replacing("&amp;", with: "&")
    }

    #expect(try await link("?q=state:dead%20since:1h&count=7") == Self.root + "?q=state%3Adead%20since%3A1h&count=7")
    #expect(try await link("dead?done=purged&number=3&q=code:X") == Self.root + "dead?q=code%3AX")
    #expect(try await link("clock?span=8d") == Self.root + "clock?span=8d")
    // What a form has led to has no address, and a page that is not there none to share.
    let page = try await console.get(Self.root + "dead")
    let answer = try await console.post(Self.root + "dead/all", [("act", "purge"), ("token", page.token)])
    #expect(!answer.text.contains("copy-view"))
    #expect(try await console.get(Self.root + "nothing").text.contains("copy-view") == false)
  }

  @Test func whoMaySeeNoPageGetsNoFormOfItAndMistakesAreNamed() async throws {
    let console = try await ServedConsole.start(
      ["--console", "read-only"], environment: ["RUNNER_KEY": ServedConsole.key])
    try await console.fail("one")
    for format in ["json", "csv"] {
      let refused = try await console.get(Self.root + "dead?format=\(format)")
      #expect(refused.status == 401 && !refused.text.contains("INVALID_EVENT"), "\(refused.text)")
    }
    let signedIn = try await console.signedIn()
    #expect(try await signedIn.get(Self.root + "dead?format=csv").text.contains("INVALID_EVENT"))
    for (path, status, code) in [
      ("dead?format=xml", 400, "USAGE"), ("event/one?format=csv", 400, "USAGE"), ("find?q=x&format=json", 400, "USAGE"),
      ("event/nobody?format=json", 404, "NOT_FOUND"), ("nothing?format=json", 404, "NOT_FOUND"),
      ("dead?q=colour:red&format=csv", 400, "USAGE"),
    ] {
      let answer = try await signedIn.get(Self.root + path)
      #expect(answer.status == status && answer["content-type"] == "application/json", "\(path)")
      #expect(try Self.json(answer.text)["code"]?.stringValue == code, "\(path): \(answer.text)")
    }
    // A page that leads to another one leads to its form.
    let redirect = try await signedIn.get(Self.root + "find?q=state:dead&format=json")
    #expect(redirect["location"] == Self.root + "?q=state%3Adead&format=json")
  }

  @Test func aRedactedValueIsInNoForm() async throws {
    let console = try await ServedConsole.start()
    _ = try await console.served.call("good", #"{"secret":"s3cret-value","n":9007199254740993}"#)
    try await console.served.runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE function = 'good')")
    let now = try await console.get(Self.root + "?q=function:good")
    let link = try #require(now.text.firstMatch(of: /href="(\/_\/console\/event\/[^"?]+)\?/)?.1)

    let event = try await console.get("\(link)?function=good&format=json")
    #expect(event.text.contains("9007199254740993") && !event.text.contains("s3cret-value"), "\(event.text)")
    for form in ["json", "csv"] {
      #expect(
        try await console.get(Self.root + "?q=function:good&format=\(form)").text.contains("s3cret-value") == false)
    }
  }
}
