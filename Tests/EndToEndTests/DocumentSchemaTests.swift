import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// The output of commands with `--json` is as `Runner/Documents/documents.schema.json` says.
@Suite(.heavy, .enabled(if: DocumentSchema.isThere, "Not run: Tests/run installs check-jsonschema."))
struct DocumentSchemaTests {
  @Test func everyDocumentFollowsItsSchema() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()
    try await runner.database.script(
      """
      INSERT INTO notification_settings (user_id, app, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end)
      VALUES ('a0000000-0000-4000-8000-000000000002', 'feedbackkit', 'America/New_York', true, '00:00', '23:59');
      INSERT INTO feedbacks (title, category, user_id, user_email, project_id)
      VALUES ('Night mode', 'feature_request', 'sdk-grace', 'grace@example.com', 'b0000000-0000-4000-8000-000000000001');
      INSERT INTO comments (content, user_id, feedback_id)
      VALUES ('Please', 'sdk-ben', 'c0000000-0000-4000-8000-000000000001');
      """)
    try await runner.wait(until: "EXISTS (SELECT FROM decisions) AND NOT EXISTS (SELECT FROM runner.events)")
    _ = try await runner.run(["schedules", "fire", "notification-cleanup"])
    try await runner.wait(until: "EXISTS (SELECT FROM runner.history WHERE kind = 'schedule')")
    let event: String = try await runner.database.query(
      "SELECT event_id AS id FROM decisions WHERE function = 'feedback-created' LIMIT 1"
    ).only().decode("id")

    let documents: [(name: String, words: [String])] = [
      ("events list", ["events", "list"]), ("events list", ["events", "dead"]),
      ("events show", ["events", "show", event]), ("resend", ["resend", event]),
      ("schedules list", ["schedules", "list"]), ("schedules history", ["schedules", "history"]),
      (
        "schedules next",
        ["schedules", "next", "30 2 * * *", "--timezone", "Europe/Berlin", "--from", "2027-03-27T00:00:00Z"]
      ),
      ("schedules pause", ["schedules", "pause", "notification-cleanup"]),
      ("schedules pause", ["schedules", "resume", "notification-cleanup"]),
      ("schedules fire", ["schedules", "fire", "notification-cleanup", "--no-wait"]),
      ("resume", ["resume", "vote-cast"]),
      ("events retry", ["events", "retry", "--all"]), ("events purge", ["events", "purge", "--dead", "--yes"]),
      ("clock", ["clock", "now"]), ("list", ["list"]), ("doctor", ["doctor"]), ("doctor", ["doctor", "push"]),
      ("status", ["status"]), ("people", ["people"]), ("people", ["people", "ben@example.com"]),
      ("people", ["people", "dan@example.com"]), ("people", ["people", "--waiting"]),
      ("people", ["people", "--ids", "a0000000-0000-4000-8000-000000000007"]),
      ("recent", ["why", "--recent"]), ("explain", ["why", event]),
      ("phones", ["phones"]), ("why", ["events", "why", event]),
    ]
    var answers: [DocumentSchema.Answer] = []
    for (name, words) in documents {
      let answer = try await runner.run(words + ["--json"])
      answers.append((command: words.joined(separator: " "), text: answer.stdout, name: name))
    }
    #expect(try await DocumentSchema.problems(answers) == "")
  }

  @Test func anotherDocumentIsRefused() async throws {
    let wrong = #"{"now":"2026-01-02T03:04:05.000Z","offset":"0","virtual":false,"more":1}"#
    let right = #"{"now":"2026-01-02T03:04:05.000Z","offset":0,"virtual":false}"#
    let problems = try await DocumentSchema.problems([("clock wrong", wrong, "clock"), ("clock right", right, "clock")])
    #expect(problems.contains("offset") && problems.contains("more"), "\(problems)")
    #expect(!problems.contains("clock right"), "\(problems)")
  }
}

/// The schema of the commands' documents, and the program that checks them.
private enum DocumentSchema {
  private static let program = House.root.appending(path: ".build/validators/bin/check-jsonschema").path

  static var isThere: Bool { access(program, X_OK) == 0 }

  /// A command, what it has printed, and the name of its definition.
  typealias Answer = (command: String, text: String, name: String)

  /// The faults of answers, by their commands; empty if each follows its definition.
  ///
  /// The program takes a second to start, so that it reads them all as members of one document.
  static func problems(_ answers: [Answer]) async throws -> String {
    let folder = try TemporaryDirectory()
    let schema = House.root.appending(path: "Runner/Documents/documents.schema.json")
    let references = answers.map { answer in
      let place = "\(schema.absoluteString)#/$defs/\(answer.name.replacing(" ", with: "%20"))"
      return (answer.command, RawJSON(object: [("$ref", RawJSON(place))]))
    }
    let whole = RawJSON(object: [
      ("$schema", RawJSON("https://json-schema.org/draft/2020-12/schema")), ("properties", RawJSON(object: references)),
    ])
    let documents = answers.compactMap { answer -> (String, RawJSON)? in
      do { return (answer.command, try RawJSON(validating: Array(answer.text.utf8)[...])) } catch {
        Issue.record("\(answer.command) prints no JSON (\(error)): \(answer.text)")
        return nil
      }
    }
    let document = RawJSON(object: documents)
    try folder.write(String(decoding: whole.bytes, as: UTF8.self), to: "schema.json")
    let file = try folder.write(String(decoding: document.bytes, as: UTF8.self), to: "document.json")
    let outcome = try await BuiltExecutables.run(
      program, ["--schemafile", "\(folder.path)/schema.json", file],
      environment: ["HOME": folder.path, "PYTHONWARNINGS": "ignore", "PATH": "/usr/bin:/bin"], timeout: .seconds(120))
    return outcome.exit == 0 ? "" : outcome.stdout + outcome.stderr
  }
}
