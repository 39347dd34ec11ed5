import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The sample events on the demo's people: `runner invoke NAME --sample` shows somebody who is told.
@Suite(.heavy)
struct SampleTests {
  /// The samples that tell nobody, and a part of the answer that says why.
  private static let silent = [
    "action-completed": #""badgePushes":"#, "actions": #""statusCode":204"#, "activity": #""statusCode":204"#,
    "devices": #""statusCode":200"#, "echo": "", "inbox": #""statusCode":200"#, "preferences": #""statusCode":200"#,
    "notification-cleanup": "deleted", "proposal-expired": "withdrawn", "push-interaction": #""found":false"#,
    "travel": #""statusCode":200"#, "unsubscribe": #""statusCode":"#, "openapi": #""statusCode":200"#,
    "proposal-vote-cast": "type_disabled", "mail-unread": #""reason":"off""#,
  ]

  /// The samples of functions that say what is missing, where no keys of APNs are configured.
  private static let unconfigured = ["activity-channels": "APNS_KEY_ID"]

  @Test func everySampleTellsSomebodyOrHasAReasonNotTo() async throws {
    let bundle = try await RunningBundle()
    try await bundle.runner.database.script(try House.text("Runner/Demo/demo.sql"))
    try await bundle.runner.database.script(
      """
      UPDATE event_proposals SET deadline = now() + interval '110 minutes' WHERE title = 'Game Night';
      UPDATE events SET starts_at = now() + interval '29 minutes' WHERE title = 'Picnic'
      """)

    for file in try Self.files() {
      let name = String(file.dropLast(".json".count))
      let function = String(name.prefix { $0 != "." })
      let outcome = try await BuiltExecutables.run(
        function, function == "echo" ? [] : ["--dry-run"], stdin: try House.text("Tests/Events/\(file)"),
        environment: ["DATABASE_URL": bundle.runner.databaseURL])
      if let missing = Self.unconfigured[name] {
        #expect(outcome.exit == 78 && outcome.stderr.contains(missing), "\(name): \(outcome.stdout) \(outcome.stderr)")
        continue
      }
      #expect(outcome.exit == 0, "\(name): \(outcome.stdout)")
      let answer = try RawJSON(validating: Array(outcome.stdout.utf8)[...])
      if let reason = Self.silent[name] {
        #expect(answer["notified"]?.intValue ?? 0 == 0, "\(name) is not silent: \(outcome.stdout)")
        #expect(reason.isEmpty || outcome.stdout.contains(reason), "\(name): \(outcome.stdout)")
      } else {
        #expect(answer["notified"]?.intValue ?? 0 > 0, "\(name) tells nobody: \(outcome.stdout)")
      }
    }
  }

  private static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: House.root.appending(path: "Tests/Events").path).sorted()
  }
}
