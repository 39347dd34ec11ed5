import FunctionKit
import Postgres
import TestSupport
import Testing

/// An event that is exported as a test, and decided again on a database of its own.
@Suite(.heavy)
struct ReplayTests {
  @Test func anExportedEventIsDecidedAgainAsItWas() async throws {
    let bundle = try await RunningBundle()
    let (runner, console) = (
      bundle.runner, ServedConsole(served: try await bundle.start(options: ["--console", "read-only"]).served)
    )
    try await runner.database.script(
      """
      INSERT INTO comments (content, user_id, feedback_id)
      VALUES ('Please', 'sdk-ben', 'c0000000-0000-4000-8000-000000000001')
      """)
    try await bundle.settle()
    let event: String = try await runner.database.query(
      "SELECT event_id AS id FROM decisions WHERE function = 'comment-added' LIMIT 1"
    ).only().decode("id")

    let page = try await console.get("/_/console/event/\(event)?function=comment-added")
    let link = try #require(page.text.firstMatch(of: /href="([^"]*\/test\?function=comment-added)"/)?.1)
    let saved = try await console.get(String(link))
    #expect(saved.status == 200, "\(saved.text)")
    #expect(saved["content-disposition"]?.hasPrefix("attachment; filename=\"comment-added-") == true)
    let exported = try await runner.run(["export", event, "--function", "comment-added", "--as-test"])
    #expect(exported.exit == 0 && exported.stdout == saved.text, "\(exported.stderr)")
    let test = try RawJSON(validating: Array(saved.text.utf8)[...])
    let expected = try #require(test["expected"]?.elements)
    #expect(Set(expected.compactMap { $0["decision"]?.stringValue }) == ["notify", "suppress"], "\(expected)")
    let names = try await runner.database.query("SELECT id::text AS id, email FROM users").map { row in
      [row["id"], row["email"]].compactMap(\.self)
    }
    let tokens = try await runner.database.query("SELECT token FROM device_tokens").compactMap { $0["token"] }
    #expect(!tokens.isEmpty)
    for secret in names.joined() + tokens { #expect(!saved.text.contains(secret), "\(secret)") }

    try runner.project.write(saved.text, to: "same.json")
    let changed = saved.text.replacing(#""decision": "notify""#, with: #""decision": "hold""#)
    try runner.project.write(changed, to: "other.json")
    let folder = runner.project.path
    let same = try await runner.run(["test", "\(folder)/same.json"], timeout: .seconds(300))
    #expect(same.exit == 0 && same.stdout.hasPrefix("passed  "), "\(same)")
    let both = try await runner.run(["test", "\(folder)/other.json", "\(folder)/same.json"], timeout: .seconds(300))
    #expect(both.exit == 1 && both.stdout.contains("  - hold\n  + notify\n"), "\(both)")
    #expect(both.stdout.split(separator: "\n").last?.hasPrefix("passed  ") == true, "\(both.stdout)")
    let wrong = try await runner.run(["test", "\(folder)/functions.json"])
    #expect(wrong.exit == 64 && wrong.stderr.contains("no file of runner export --as-test"), "\(wrong.stderr)")
    let missing = try await runner.run(["test", "\(folder)/nothing.json"])
    #expect(missing.exit == 66, "\(missing.stderr)")
  }
}
