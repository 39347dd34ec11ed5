import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Waiting notifications, through the real bundle, in an hour of a summer's morning; it begins at 07:40 in Berlin.
@Suite(.heavy)
struct DeliveryPolicyClockTests {
  private static let ben = "a2", eva = "a5", grace = "a7", hugo = "a8"

  @Test func nightsWindowsAndFullHoursPutOffAndLoseNothing() async throws {
    let year = Calendar(identifier: .gregorian).component(.year, from: Date()) + 1
    let begin = try Date("\(year)-06-15T05:40:00Z", strategy: .iso8601)
    let runner = try await RunningRunner(try House.text("functions.json"))
    for words in [["migrate"], ["clock", "set", begin.formatted(.iso8601), "--any-local-database"]] {
      let outcome = try await runner.run(words, timeout: .seconds(240))
      #expect(outcome.exit == 0, "\(outcome.stderr)")
    }
    try await runner.database.script(Self.people(demo: try House.text("Runner/Demo/demo.sql")))
    let served = try await runner.start(services: true)
    try await served.program.line { $0.contains("Partitions taken") }

    try await runner.database.script(Self.votes)
    let outcome = try await runner.run(
      ["clock", "advance", "70m", "--any-local-database"], timeout: .seconds(300))
    #expect(outcome.exit == 0, "\(outcome.stderr)")

    let phones = try Phones(served, project: runner.project.path)
    let all = try await phones.pushes().map(Push.init)
    func pushes(to person: String) -> [Push] { all.filter { $0.token.hasPrefix(person) } }
    func minutes(_ pushes: [Push]) -> [Double] { pushes.map { $0.time.timeIntervalSince(begin) / 60 } }

    // At 08:00 in Berlin, and within the minute by which releases are spread. It is 02:50 in New York at the end.
    #expect(pushes(to: Self.ben).map(\.body) == ["2 people voted for Ben's wish"])
    #expect(minutes(pushes(to: Self.ben)).allSatisfy { (20..<21.5).contains($0) })
    #expect(pushes(to: Self.eva).isEmpty)
    #expect(try await held(runner) == ["quiet_hours a0000000-0000-4000-8000-000000000005"])

    let merged = pushes(to: Self.grace)
    #expect(merged.map(\.body) == ["Grace's wish now has 3 votes", "3 people voted for Grace's wish"])
    #expect(Set(merged.map(\.collapseID)).count == 1)
    #expect(minutes(merged).last.map { (10..<11.5).contains($0) } == true)
    let screen = try await phones.screens().first { $0["token"]?.stringValue?.hasPrefix(Self.grace) == true }
    #expect(screen?["notifications"]?.elements?.count == 1)

    let limited = minutes(pushes(to: Self.hugo))
    #expect(limited.count == 2)
    #expect(limited.last.map { (60..<62).contains($0) } == true)
  }

  private struct Push {
    let token: String
    let body: String
    let collapseID: String?
    let time: Date

    init(_ record: RawJSON) throws {
      token = record["token"]?.stringValue ?? ""
      body = record["payload"]?["aps"]?["alert"]?["body"]?.stringValue ?? ""
      collapseID = record["collapseID"]?.stringValue
      time = try #require(record["receivedAt"]?.stringValue.flatMap(RFC3339.date))
    }
  }

  private func held(_ runner: RunningRunner) async throws -> [String] {
    try await runner.database.query("SELECT reason || ' ' || user_id AS held FROM held_notifications")
      .decode("held", as: String.self)
  }

  /// The demo's people, without what they have done; Ben and Eva sleep, Hugo wants one push an hour.
  private static func people(demo: String) -> String {
    """
    BEGIN; SET LOCAL session_replication_role = replica;
    \(demo)
    INSERT INTO notification_settings (user_id, app, quiet_hours_enabled, timezone, hourly_limit) VALUES
      ('a0000000-0000-4000-8000-000000000002', 'feedbackkit', true, 'Europe/Berlin', NULL),
      ('a0000000-0000-4000-8000-000000000005', 'feedbackkit', true, 'America/New_York', NULL),
      ('a0000000-0000-4000-8000-000000000008', 'feedbackkit', false, NULL, 1);
    INSERT INTO feedbacks (id, title, user_id, user_email, project_id)
    SELECT f.id::uuid, f.title, f.email, f.email, 'b0000000-0000-4000-8000-000000000001' FROM (VALUES
      ('c0000000-0000-4000-8000-000000000012', 'Ben''s wish', 'ben@example.com'),
      ('c0000000-0000-4000-8000-000000000015', 'Eva''s wish', 'eva@example.com'),
      ('c0000000-0000-4000-8000-000000000017', 'Grace''s wish', 'grace@example.com'),
      ('c0000000-0000-4000-8000-000000000018', 'Hugo''s wish', 'hugo@example.com'),
      ('c0000000-0000-4000-8000-000000000019', 'Hugo''s other wish', 'hugo@example.com')) AS f (id, title, email);
    COMMIT;
    """
  }

  private static let votes = """
    INSERT INTO votes (feedback_id, user_id) SELECT f.id::uuid, 'sdk-' || n FROM (VALUES
      ('c0000000-0000-4000-8000-000000000012', 2), ('c0000000-0000-4000-8000-000000000015', 1),
      ('c0000000-0000-4000-8000-000000000017', 3), ('c0000000-0000-4000-8000-000000000018', 1),
      ('c0000000-0000-4000-8000-000000000019', 1)) AS f (id, votes), generate_series(1, f.votes) AS n
    """
}
