import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Days of the real bundle in a minute.
@Suite(.heavy)
struct BundleClockTests {
  @Test func aReminderGoesOutWhenItsDeadlineComesNearAndReachesThePhones() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    try await bundle.settle()
    let runner = bundle.runner
    try await runner.database.script(
      """
      INSERT INTO event_proposals (id, group_id, created_by, title, deadline)
      SELECT gen_random_uuid(), id, created_by, 'Chess', runner.now() + interval '3 days' FROM groups
      WHERE name = 'College Friends'
      """)

    let outcome = try await runner.run(
      ["clock", "advance", "3d", "--all", "--any-local-database", "--json"], timeout: .seconds(560))

    #expect(outcome.exit == 0, "\(outcome.stderr)")
    let lines = try outcome.stdout.split(separator: "\n").map { try RawJSON(validating: Array($0.utf8)[...]) }
    let reminders = lines.filter { $0["function"]?.stringValue == "proposal-reminder" }
    let ticks = reminders.filter { $0["kind"]?.stringValue == "schedule" }
    #expect((4_319...4_321).contains(ticks.count))
    let said = reminders.filter { $0["decision"]?.stringValue == "notify" }
    #expect(!said.isEmpty)
    #expect(said.allSatisfy { $0["title"]?.stringValue == "Chess voting closes in 2 hours" && $0["person"] != nil })
    let told = try await runner.database.query(
      """
      SELECT DISTINCT ceil(extract(epoch FROM p.deadline - n.created_at) / 60)::int AS minutes,
        ceil(extract(epoch FROM p.deadline - d.accepted_at) / 60)::int AS accepted
      FROM event_proposals AS p, notifications AS n JOIN deliveries AS d ON d.notification_id = n.id
      WHERE n.title LIKE 'Chess%' AND p.title = 'Chess' AND d.state = 'accepted'
      """
    ).only()
    #expect(told["minutes"] == "120")
    #expect(told["accepted"] == "120")
    let titles = try await phones.pushes()
      .compactMap { $0["payload"]?["aps"]?["alert"]?["title"]?.stringValue }.filter { $0.hasPrefix("Chess") }
    #expect(Set(titles) == ["Chess voting closes in 2 hours"])
  }
}
