import Foundation
import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// What had another name before, called by that name.
@Suite(.heavy)
struct FormerNamesTests {
  /// Each former command with the member of its JSON that a program reads.
  @Test func everyFormerCommandWorksAsItDid() async throws {
    let commands: [(words: [String], member: String)] = [
      (["rerun", "5.4"], "replayedfrom"), (["record", "5.4"], "specversion"), (["events", "why", "5.4"], "reason"),
      (["events", "replay", "5.3"], "replayed"),
    ]
    let runner = try await RecordedEvents.make()

    for (words, member) in commands {
      let outcome = try await runner.run(words + (words[0] == "record" ? [] : ["--json"]))
      let json = try RawJSON(validating: Array(outcome.stdout.utf8)[...])
      #expect(outcome.exit == 0 && outcome.stderr.isEmpty, "\(words): \(outcome.stderr)")
      #expect(json[member] != nil, "\(words): \(outcome.stdout)")
      #expect(try await runner.run(["help"] + words.dropLast()).stdout.contains("usage: runner "), "\(words)")
    }
  }

  @Test func aFunctionIsCalledByItsFormerName() async throws {
    let echo = BuiltExecutables.path(of: "echo")
    let manifest = #"{"functions":{"mirror":{"executable":"\#(echo)","formerly":["looking-glass"]}}}"#
    let served = try await RunningRunner(manifest).start()

    let called = try await served.call("looking-glass", #"{"n":1}"#)
    let unknown = try await served.call("glass", "{}")
    let invoked = try await BuiltExecutables.run(
      "runner", ["invoke", "looking-glass", "--project", served.runner.project.path], stdin: #"{"n":2}"#)
    let listed = try await served.runner.run(["list"])

    #expect(called.status == 200 && called.json?["data"]?["n"]?.intValue == 1)
    #expect(called.json?["source"]?.stringValue == "/http/mirror")
    #expect(unknown.status == 404)
    #expect(invoked.exit == 0 && invoked.stdout.contains(#""n":2"#))
    #expect(listed.stdout.contains("mirror") && !listed.stdout.contains("looking-glass"))
  }

  @Test(arguments: [("--only", true), ("--except", false)])
  func aFunctionIsChosenByItsFormerName(_ rule: String, isTaken: Bool) async throws {
    let echo = BuiltExecutables.path(of: "echo")
    let mirror = #""mirror":{"executable":"\#(echo)","formerly":["looking-glass"]}"#
    let runner = try await RunningRunner(#"{"functions":{\#(mirror),"other":{"executable":"\#(echo)"}}}"#)
    let served = try await runner.start(options: [rule, "looking-glass"])

    let called = try await served.call("mirror", "{}")
    let other = try await served.call("other", "{}")

    #expect((called.status == 200) == isTaken)
    #expect((other.status == 200) == !isTaken)
  }

  /// A database of the version before, in which the function was called `digest`.
  @Test func theBundleGoesOnWithWhatTheFormerFunctionLeft() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    let text = try House.text("functions.json")
    let former = text.replacing(#""release-held": {"#, with: #""digest": {"#)
      .replacing(#"      "formerly": ["digest"],"#, with: #"      "executable": "release-held","#)
    try #require(former != text)
    try runner.project.write(Schema.manifest(former), to: "functions.json")
    _ = try await runner.run(["migrate"])
    try await runner.database.script(try House.text("Runner/Demo/demo.sql"))
    try await runner.database.script(
      """
      INSERT INTO runner.wakeups VALUES ('digest', '2099-01-01');
      INSERT INTO notifications (user_id, app, type, title, body, payload, family, family_subject, actor)
      SELECT id, 'messageai', 'smart_notification', 'Bob', 'Held', '{"aps":{"alert":"x"}}', 'messages', 'c1', 'm1'
      FROM users WHERE email = 'ada@example.com';
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT id, user_id, app, 'batched', now(), now() FROM notifications WHERE body = 'Held';
      """)
    try runner.project.write(Schema.manifest(text), to: "functions.json")

    _ = try await runner.start()

    // What the demo's own rows tell may be held, too.
    try await runner.wait(
      until:
        "NOT EXISTS (SELECT FROM held_notifications JOIN notifications n ON n.id = notification_id WHERE body = 'Held')"
    )
    #expect(try await runner.database.query("SELECT FROM runner.wakeups WHERE function = 'digest'").isEmpty)
  }
}
