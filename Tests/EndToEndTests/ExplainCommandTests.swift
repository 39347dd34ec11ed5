import FunctionKit
import Postgres
import TestSupport
import Testing

/// `runner explain` and `runner why` through the runner, on pushes that the emulator took.
@Suite(.startsProcesses)
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

    let explained = try await runner.run(["explain", id])
    let json = try await runner.run(["explain", id, "--user", "grace@example.com", "--json"])
    let why = try await runner.run(["why", "grace@example.com", "--since", "1h"])
    let queued = try await runner.run(["events", "why", id])
    let rehearsed = try await runner.run(
      ["explain", "--dry-run", "--function", "vote-cast", "\(runner.project.path)/Tests/Events/vote-cast.json"])
    let unknown = try await runner.run(["explain", "1.999999"])

    #expect(explained.exit == 0, "\(explained.stderr)")
    #expect(explained.stdout.contains("Grace <grace@example.com>, a submitter: told"))
    #expect(explained.stdout.contains("APNs 200: accepted, after "))
    let report = try RawJSON(validating: Array(json.stdout.utf8)[...])
    #expect(report["handlings"]?.elements?.first?["people"]?.elements?.count == 1)
    #expect(why.exit == 0 && why.stdout.contains("told; sent to 1 device  [\(id)]"), "\(why.stdout)\(why.stderr)")
    #expect(queued.exit == 0, "an event's id is the same for both commands")
    #expect(rehearsed.exit == 0 && rehearsed.stdout.hasPrefix("This event has not happened"), "\(rehearsed.stderr)")
    #expect(
      try await runner.database.query("SELECT FROM handled_events WHERE event_id = 'sample-vote-cast'").isEmpty)
    #expect(unknown.exit == 66 && unknown.stderr.contains("runner events why 1.999999"))
  }

  @Test func theRunnersHelpNamesBoth() async throws {
    let bundle = try await RunningBundle()

    let own = try await bundle.runner.run(["why", "--help"])
    let overview = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "cd '\(bundle.runner.project.path)' && '\(BuiltExecutables.path(of: "runner"))' --help"])

    #expect(own.exit == 0 && own.stdout.contains("usage: runner why USER"))
    #expect(overview.stdout.contains("who was told of an event") && overview.stdout.contains("what a person was told"))
  }
}
