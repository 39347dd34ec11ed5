import FunctionKit
import Postgres
import TestSupport
import Testing

/// `kinds` that come while the runner serves.
@Suite(.heavy)
struct UnreadReloadTests {
  @Test func kindsAreFollowedWithoutARestart() async throws {
    let manifest = try House.text("functions.json")
    let runner = try await RunningRunner(
      manifest, environment: [:], database: try await RunningRunner.makeDatabase(for: manifest))
    try await RunningBundle.copySamples(to: runner.project.path)
    let served = try await runner.start(options: ["--watch"])
    try await served.program.line { $0.contains("Partitions taken") }
    let kinds = { (after: String) in
      Schema.manifest(
        manifest.replacing(
          #""functions": {"#,
          with: """
            "kinds": { "feedbackkit": { "new_vote": { "ifUnread": { "after": "\(after)", "function": "mail-unread" } } } },
            "functions": {
            """, maxReplacements: 1))
    }

    try runner.project.write(kinds("30m"), to: "functions.json")
    try await runner.database.wait(until: "EXISTS (SELECT FROM unread_rules WHERE after_seconds = 1800)")
    try runner.project.write(kinds("1h"), to: "functions.json")

    try await runner.database.wait(until: "EXISTS (SELECT FROM unread_rules WHERE after_seconds = 3600)")
  }
}
