import FunctionKit
import Postgres
import TestSupport
import Testing

/// `runner why` of events and of people, on pushes that the emulator took.
@Suite(.heavy)
struct ExplainCommandTests {
  @Test func anEventIsExplainedFromItsRowToTheProvidersAnswer() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()
    try await runner.database.script(
      """
      INSERT INTO votes (feedback_id, user_id, user_email)
      VALUES ('c0000000-0000-4000-8000-000000000001', 'sdk-ben', 'ben@example.com')
      """)
    try await runner.wait(
      until: """
        EXISTS (SELECT FROM decisions d JOIN deliveries v USING (notification_id)
          WHERE d.function = 'vote-cast' AND v.state = 'accepted')
        """)
    let id: String = try await runner.database.query(
      """
      SELECT d.event_id FROM decisions d JOIN deliveries v USING (notification_id)
      WHERE d.function = 'vote-cast' AND v.state = 'accepted' LIMIT 1
      """
    ).only().decode("event_id")

    let explained = try await runner.run(["why", id])
    let json = try await runner.run(["why", id, "--user", "grace@example.com", "--json"])
    let why = try await runner.run(["why", "grace@example.com", "--since", "1h"])
    let former = try await runner.run(["explain", id, "--user", "grace@example.com", "--json"])
    let rehearsed = try await runner.run(
      ["why", "--dry-run", "--function", "vote-cast", "\(runner.project.path)/Tests/Events/vote-cast.json"])
    let unknown = try await runner.run(["why", "1.9000000000000"])

    #expect(explained.exit == 0, "\(explained.stderr)")
    #expect(explained.stdout.contains("Grace <grace@example.com>, a submitter: told"))
    #expect(explained.stdout.contains("APNs 200: accepted, after "))
    let report = try RawJSON(validating: Array(json.stdout.utf8)[...])
    #expect(report["handlings"]?.elements?.first?["people"]?.elements?.count == 1)
    #expect(why.exit == 0 && why.stdout.contains("told; sent to 1 device  [\(id)]"), "\(why.stdout)\(why.stderr)")
    #expect(explained.stdout.hasPrefix("It is done: vote-cast ended it at "), "what the runner knows comes first")
    #expect(former.stdout == json.stdout && former.exit == 0)
    #expect(rehearsed.exit == 0 && rehearsed.stdout.hasPrefix("This event has not happened"), "\(rehearsed.stderr)")
    #expect(
      try await runner.database.query("SELECT FROM handled_events WHERE event_id = 'sample-vote-cast'").isEmpty)
    #expect(unknown.exit == 0 && unknown.stdout.hasPrefix("No event has been given the number 1.9000000000000"))
  }

  @Test func theRunnersHelpLeadsToOneCommand() async throws {
    let bundle = try await RunningBundle()

    let own = try await bundle.runner.run(["why", "--help"])
    let overview = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "cd '\(bundle.runner.project.path)' && '\(BuiltExecutables.path(of: "runner"))' --help"])

    #expect(own.exit == 0 && own.stdout.contains("usage: runner why EVENT-ID") && own.stdout.contains("--since SPAN"))
    let asking = overview.stdout.split(separator: "\n").filter { $0.contains(/\b(why|explain)\b/) }
    #expect(asking == ["  why         why people were told or not, and what an event waits for"])
  }

  @Test func anEventThatWaitsIsExplainedByTheRunner() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await runner.run(["migrate"])
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))
    let id: String = try await runner.database.query(
      "SELECT partition || '.' || id AS id FROM runner.events LIMIT 1"
    ).only().decode("id")

    let why = try await runner.run(["why", id, "--user", "grace@example.com"])
    let json = try await runner.run(["why", id, "--json"])

    #expect(why.exit == 0 && why.stdout == "No runner is up: start one with runner serve.\n", "\(why.stderr)")
    #expect(try RawJSON(validating: Array(json.stdout.utf8)[...])["reason"]?.stringValue == "noRunner")
  }
}
