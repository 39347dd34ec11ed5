import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// An event that is exported as a test, and decided again on a database of its own.
@Suite(.heavy)
struct ReplayTests {
  /// Tables and columns that are the app's alone: nothing of them leaves the database.
  private static let appsOwn = """
    ALTER TABLE users ADD COLUMN salary integer NOT NULL DEFAULT 7000;
    CREATE TABLE invoices (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid REFERENCES users (id), city text);
    INSERT INTO invoices (user_id, city) SELECT id, 'berlin' FROM users;
    """

  /// Grace is told, Dan has muted the project, Ada hears nothing for two hours, and Eva's weekday has quiet hours now.
  private static let settings = """
    INSERT INTO notification_mutes (user_id, scope, muted_until)
    SELECT id, 'person', push_now() + interval '2 hours' FROM users WHERE email = 'ada@example.com';
    INSERT INTO notification_settings (user_id, app, timezone, quiet_hours_enabled, quiet_hours_start, quiet_hours_end,
      quiet_hours_days)
    SELECT u.id, 'feedbackkit', z.name, true, '03:00', '04:00',
      jsonb_build_object(
        to_char(push_now() AT TIME ZONE z.name, 'FMday'), '{"start": "10:00", "end": "15:00"}'::jsonb)
    FROM users u, (
      SELECT 'Etc/GMT' || to_char(extract(hour FROM push_now() AT TIME ZONE 'UTC') - 12, 'FMSG99') AS name) z
    WHERE u.email = 'eva@example.com';
    INSERT INTO notification_settings (user_id, app, language)
    SELECT id, 'feedbackkit', 'de' FROM users WHERE email = 'grace@example.com';
    UPDATE device_tokens SET locale = 'de-AT' WHERE user_id = (SELECT id FROM users WHERE email = 'grace@example.com');
    """

  @Test func anExportedEventIsDecidedAgainAsItWas() async throws {
    let bundle = try await RunningBundle()
    let (runner, console) = (
      bundle.runner, ServedConsole(served: try await bundle.start(options: ["--console", "read-only"]).served)
    )
    try await runner.database.script(Self.settings)
    try await runner.database.script(Self.appsOwn)
    let event = try await Self.comment(bundle, "Please, and soon")
    let page = try await console.get("/_/console/event/\(event)?function=comment-added")
    let link = try #require(page.text.firstMatch(of: /href="([^"]*\/test\?function=comment-added)"/)?.1)
    let saved = try await console.get(String(link))
    #expect(saved.status == 200, "\(saved.text)")
    #expect(saved["content-disposition"]?.hasPrefix("attachment; filename=\"comment-added-") == true)
    let exported = try await runner.run(["export", event, "--function", "comment-added", "--as-test"])
    #expect(exported.exit == 0 && exported.stdout == saved.text, "\(exported.stderr)")
    let test = try RawJSON(validating: Array(saved.text.utf8)[...])
    let expected = try #require(test["expected"]?.elements)
    let decided = Set(expected.map { "\($0["decision"]?.stringValue ?? "") \($0["reason"]?.stringValue ?? "")" })
    let four: Set = ["notify ", "suppress project_muted", "hold muted", "hold quiet_hours"]
    #expect(decided.isSuperset(of: four), "\(decided)")
    try await Self.expectNobodyKnown(in: saved.text, runner.database)
    for word in ["salary", "7000", "invoices", "berlin", "user_tokens"] {
      #expect(!saved.text.contains(word), "\(word)")
    }
    #expect(test["doubts"]?.elements?.isEmpty == true, "\(test["doubts"]?.printable ?? "")")
    let rows = try #require(test["rows"])
    #expect(rows["notification_mutes"]?.elements?.count == 1)
    #expect(rows["notification_settings"]?.elements?.contains { $0["language"]?.stringValue == "de" } == true)
    #expect(rows["notification_settings"]?.elements?.contains { $0["quiet_hours_days"]?.kind == .object } == true)
    #expect(rows["device_tokens"]?.elements?.contains { $0["locale"]?.stringValue == "de-AT" } == true)

    let folder = runner.project.path
    try runner.project.write(saved.text, to: "same.json")
    let unmuted = test.with("rows", RawJSON(object: rows.others(than: "notification_mutes")))
    try runner.project.write(unmuted.printable, to: "unmuted.json")
    let at = try #require(test["at"]?.stringValue.flatMap(RFC3339.date))
    let later = test.with("at", RawJSON(RFC3339.string(at + 3 * 3_600)))
    try runner.project.write(later.printable, to: "later.json")
    let files = ["unmuted", "later", "same"].map { "\(folder)/\($0).json" }
    let all = try await runner.run(["test"] + files, timeout: .seconds(300))
    let lines = all.stdout.split(separator: "\n")
    // Three hours later nobody's push is gathered with others any more.
    let gathered = expected.count { $0["reason"]?.stringValue == "batched" }
    #expect(all.exit == 1 && lines.count == 6 + gathered, "\(all)")
    let difference = try #require(lines.dropFirst().first)
    #expect(difference.contains(": expected held until ") && difference.hasSuffix("got told"), "\(difference)")
    #expect(lines.last?.hasPrefix("passed  ") == true)
    let listed = try await runner.run(["test", files[0], "--json"], timeout: .seconds(300))
    let document = try RawJSON(validating: Array(listed.stdout.utf8)[...])
    #expect(listed.exit == 1 && document.elements?.first?["differences"]?.elements?.count == 1, "\(listed)")
  }

  @Test func aFileThatIsBrokenOrNewerIsRefusedAndSaysWhy() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()
    try await runner.database.script(Self.settings)
    let event = try await Self.comment(bundle, "Please")
    let exported = try await runner.run(["export", event, "--function", "comment-added", "--as-test"])
    let folder = runner.project.path
    let test = try RawJSON(validating: Array(exported.stdout.utf8)[...])
    let broken = [
      ("text", String(exported.stdout.dropLast(10)), "it is no JSON document"),
      ("newer", test.with("test", RawJSON(99)).printable, "is of version 99"),
      ("timeless", test.with("at", RawJSON("noon")).printable, "it lacks"),
      ("tables", test.with("rows", RawJSON(object: [("users", RawJSON(1))])).printable, "rows of users"),
      ("expected", test.with("expected", RawJSON(array: [RawJSON(1)])).printable, "is broken"),
      (
        "row", exported.stdout.replacing(#""scope": "person""#, with: #""scope": "nobody""#),
        "does not fit into notification_mutes"
      ),
    ]
    for (name, text, problem) in broken {
      try runner.project.write(text, to: "\(name).json")
      let answer = try await runner.run(["test", "\(folder)/\(name).json"], timeout: .seconds(300))
      #expect(answer.exit == 65 && answer.stderr.contains(problem), "\(name): \(answer)")
    }
    try runner.project.write(exported.stdout, to: "whole.json")
    let both = try await runner.run(
      ["test", "\(folder)/row.json", "\(folder)/whole.json"], timeout: .seconds(300))
    #expect(both.exit == 65 && both.stdout.hasPrefix("passed  ") && both.stderr.contains("row.json"), "\(both)")
    for (function, problem) in [("nothing", "There is no function nothing"), ("echo", "decides about nobody")] {
      try runner.project.write(test.with("function", RawJSON(function)).printable, to: "function.json")
      let answer = try await runner.run(["test", "\(folder)/function.json"], timeout: .seconds(300))
      #expect(answer.exit == 64 && answer.stderr.contains(problem), "\(answer)")
    }
    let other = try await runner.run(["test", "\(folder)/functions.json"])
    #expect(other.exit == 65 && other.stderr.contains("was not made by runner export --as-test"), "\(other.stderr)")
    let missing = try await runner.run(["test", "\(folder)/nothing.json"])
    #expect(missing.exit == 66, "\(missing.stderr)")
  }

  @Test func aVoteIsDecidedAgainWithTheVotesOfOthers() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()
    _ = try await runner.database.query(
      """
      INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote) VALUES (
        'f4000000-0000-4000-8000-000000000001', 'f5000000-0000-4000-8000-000000000001',
        'a0000000-0000-4000-8000-000000000005', 'yes')
      """)
    try await bundle.settle()
    let event: String = try await runner.database.query(
      "SELECT event_id AS id FROM decisions WHERE function = 'proposal-vote-cast' ORDER BY created_at DESC LIMIT 1"
    ).only().decode("id")
    let id = String(event.prefix { $0 != "/" })
    let exported = try await runner.run(["export", id, "--function", "proposal-vote-cast", "--as-test"])
    #expect(exported.exit == 0, "\(exported.stderr)")
    let rows = try RawJSON(validating: Array(exported.stdout.utf8)[...])["rows"]
    // Ben's, too, whom nobody was told about.
    #expect(rows?["proposal_votes"]?.elements?.count == 2 && rows?["proposal_options"]?.elements?.count == 2)
    #expect(rows?["event_proposals"]?.elements?.count == 1, "other proposals of the group have no part in it")
    try runner.project.write(exported.stdout, to: "vote.json")
    let played = try await runner.run(["test", "\(runner.project.path)/vote.json"], timeout: .seconds(300))
    #expect(played.exit == 0 && played.stdout.hasPrefix("passed  "), "\(played)")
  }

  @Test func aTestThatCannotBeComparedSaysSoAndHasNotFailed() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()
    try await runner.database.script(Self.settings)
    let event = try await Self.comment(bundle, "Please")
    _ = try await runner.database.query(
      """
      UPDATE notification_settings SET quiet_hours_enabled = false, updated_at = push_now() + interval '1 minute'
      WHERE user_id = (SELECT id FROM users WHERE email = 'eva@example.com')
      """)
    let exported = try await runner.run(["export", event, "--function", "comment-added", "--as-test"])
    try runner.project.write(exported.stdout, to: "changed.json")
    let played = try await runner.run(["test", "\(runner.project.path)/changed.json"], timeout: .seconds(300))
    #expect(played.exit == 0 && played.stdout.contains("1 not to be compared"), "\(played)")
    #expect(played.stdout.contains("cannot be compared: notification_settings has changed since"), "\(played)")
  }

  @Test func aBundleWhosePeopleAndTriggersStandOnAnAppsTablesIsPlayed() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()
    let event = try await Self.comment(bundle, "Please")
    let exported = try await runner.run(["export", event, "--function", "comment-added", "--as-test"])
    let other = try TemporaryDirectory()
    let manifest = try Schema.manifest(House.text("functions.json"))
      .replacing(#""follow": "push_follow_people""#, with: #""follow": "push_follow_people", "table": "auth.users""#)
      .replacing(#""table": "comments""#, with: #""table": "shop_comments""#)
    #expect(manifest.contains("auth.users"))
    try other.write(manifest, to: "functions.json")
    let file = try other.write(exported.stdout, to: "test.json")
    let played = try await BuiltExecutables.run(
      "runner", ["test", file, "--project", other.path], timeout: .seconds(300))
    #expect(played.exit == 0 && played.stdout.hasPrefix("passed  "), "\(played)")
  }

  @Test(arguments: [SIGINT, SIGKILL])
  func aTestThatIsStoppedLeavesNoServer(signal: Int32) async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    _ = try await bundle.start()
    let event = try await Self.comment(bundle, "Please")
    let exported = try await runner.run(["export", event, "--function", "comment-added", "--as-test"])
    try runner.project.write(exported.stdout, to: "test.json")
    let place = try TemporaryDirectory()
    func folders() -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []).filter { $0.hasPrefix("runner-test-") }
    }
    func serves() -> Bool {
      folders().contains { FileManager.default.fileExists(atPath: "\(place.path)/\($0)/.runner/database-url") }
    }
    let words = ["test", "\(runner.project.path)/test.json", "--project", runner.project.path]
    let program = try RunningProgram("runner", words, environment: ["TMPDIR": place.path])
    try await eventually("its server runs") { serves() }
    program.send(signal)
    #expect(try await program.exit() == (signal == SIGINT ? 130 : 128 + SIGKILL))
    try await eventually("its server has ended") { !serves() }
    guard signal == SIGKILL else {
      #expect(folders().isEmpty)
      return
    }
    let left = try #require(folders().first)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: "\(place.path)/\(left)")
    try await eventually("the next one takes the folder away") {
      let next = try await runner.run(
        ["test", "\(runner.project.path)/test.json"], environment: ["TMPDIR": place.path], timeout: .seconds(300))
      #expect(next.exit == 0, "\(next)")
      return folders().isEmpty
    }
  }

  @Test func anEventAboutVeryManyPeopleIsNoTestAndSaysSo() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    let console = ServedConsole(served: try await bundle.start(options: ["--console", "on"]).served)
    try await runner.database.script(
      """
      WITH crowd AS (
        INSERT INTO users (email, name) SELECT n || '@crowd.example', 'One of many' FROM generate_series(1, 120) n
        RETURNING id)
      INSERT INTO project_members (project_id, user_id) SELECT 'b0000000-0000-4000-8000-000000000001', id FROM crowd
      """)
    let event = try await Self.comment(bundle, "Please")
    let exported = try await runner.run(["export", event, "--function", "comment-added", "--as-test"])
    #expect(exported.exit == 64 && exported.stderr.contains("a test is about 100 at most"), "\(exported)")
    let page = try await console.get("/_/console/event/\(event)?function=comment-added")
    #expect(page.text.contains("a test is about 100 people at most") && !page.text.contains("Export as a test"))
  }

  /// Ben answers Grace, and everybody is told or not.
  private static func comment(_ bundle: RunningBundle, _ words: String) async throws -> String {
    _ = try await bundle.runner.database.query(
      """
      INSERT INTO comments (content, user_id, feedback_id)
      VALUES (\(words), 'sdk-ben', 'c0000000-0000-4000-8000-000000000001')
      """)
    try await bundle.settle()
    return try await bundle.runner.database.query(
      "SELECT event_id AS id FROM decisions WHERE function = 'comment-added' ORDER BY created_at DESC LIMIT 1"
    ).only().decode("id")
  }

  /// The file names no person, no secret, and nothing that anybody wrote.
  private static func expectNobodyKnown(in text: String, _ database: Connection) async throws {
    let rows = try await database.query(
      """
      SELECT id::text AS word FROM users UNION SELECT email FROM users UNION SELECT name FROM users
      UNION SELECT token FROM device_tokens UNION SELECT name FROM projects UNION SELECT api_key FROM projects
      UNION SELECT title FROM feedbacks UNION SELECT content FROM comments UNION SELECT user_id FROM feedbacks
      UNION SELECT title FROM notifications UNION SELECT body FROM notifications
      """)
    let words = rows.compactMap { $0["word"] }.filter { !$0.isEmpty }
    #expect(words.count > 30)
    let text = text.lowercased()
    for word in words {
      let isThere = text.ranges(of: word.lowercased()).contains { range in
        [text[..<range.lowerBound].last, text[range.upperBound...].first].allSatisfy { neighbour in
          neighbour.map { !$0.isLetter && !$0.isNumber } ?? true
        }
      }
      #expect(!isThere, "\(word)")
    }
  }
}

extension RawJSON {
  /// The same object with another value of a member.
  fileprivate func with(_ name: String, _ value: RawJSON) -> RawJSON {
    RawJSON(object: members.map { ($0.name, $0.name == name ? value : $0.value) })
  }

  fileprivate func others(than name: String) -> [(String, RawJSON)] {
    members.filter { $0.name != name }.map { ($0.name, $0.value) }
  }
}
