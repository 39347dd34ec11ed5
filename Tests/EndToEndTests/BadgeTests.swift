import FunctionKit
import Postgres
import TestSupport
import Testing

/// An act on one device shows on the other.
@Suite(.heavy)
struct BadgeTests {
  static let eva = "a0000000-0000-4000-8000-000000000005"

  /// The badges of Eva's two devices.
  private func badges(_ phones: Phones) async throws -> [String: Int?] {
    let screens = try await phones.screens().map { ($0["token"]?.stringValue ?? "", $0["badge"]?.intValue) }
    return Dictionary(screens) { $1 }.filter { ["c5", "d5"].contains($0.key.prefix(2)) }
      .reduce(into: [:]) { $0[String($1.key.prefix(2))] = $1.value }
  }

  @Test func aVoteOnTheTabletLowersTheBadgeOfThePhone() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    let database = bundle.runner.database
    try await database.script(
      """
      -- Closed too long ago for a badge of its own at the next full minute.
      UPDATE event_proposals SET deadline = '2020-01-01' WHERE title = 'Movie Night';
      INSERT INTO device_tokens (id, user_id, token, platform, app, environment, bundle_id) VALUES
        ('dd000000-0000-4000-8000-000000000035', '\(Self.eva)', repeat('d5', 32), 'iPadOS', 'lockitin', 'sandbox',
         'com.lockit.app');
      INSERT INTO event_proposals (id, group_id, created_by, title, deadline)
      SELECT 'f4000000-0000-4000-8000-000000000009', id, created_by, 'Chess', runner.now() + interval '3 days' FROM groups
      WHERE name = 'College Friends';
      INSERT INTO proposal_options (id, proposal_id, starts_at, ends_at) VALUES
        ('f5000000-0000-4000-8000-000000000009', 'f4000000-0000-4000-8000-000000000009', runner.now() + interval '4 days',
         runner.now() + interval '5 days')
      """)
    try await bundle.settle()
    let asked = try await badges(phones)
    let before = try #require(asked["c5"] ?? nil)
    #expect(asked == ["c5": before, "d5": before])
    let id = try await database.query(
      "SELECT id::text FROM notifications WHERE user_id = \(Self.eva)::uuid AND title LIKE '%Chess'"
    ).only().decode("id", as: String.self)

    let report = """
      {"notificationId":"\(id)","deviceId":"dd000000-0000-4000-8000-000000000035","event":"acted","action":"vote_yes"}
      """
    #expect(try await phones.served.call("push-interaction", report).status == 200)
    try await database.script(
      """
      INSERT INTO proposal_votes (proposal_id, option_id, user_id, vote) VALUES ('f4000000-0000-4000-8000-000000000009',
        'f5000000-0000-4000-8000-000000000009', '\(Self.eva)', 'yes')
      """)
    try await bundle.settle()

    // The tablet has told itself; the emulator knows only what it was sent.
    #expect(try await badges(phones) == ["c5": before - 1, "d5": before])
    let pushes = try await phones.pushes().filter { $0["token"]?.stringValue?.hasPrefix("c5") == true }
    #expect(pushes.last?["payload"]?["aps"]?["alert"] == nil)

    // The group's requests to her go with her membership.
    try await database.script("DELETE FROM group_members WHERE user_id = '\(Self.eva)'")
    try await bundle.settle()
    #expect(try await badges(phones) == ["c5": 0, "d5": 0])
    let failed = try await database.query(
      "SELECT FROM runner.history WHERE function = 'action-completed' AND exit_status <> 0")
    #expect(failed.isEmpty)
  }

  @Test func afterFaultsHoldsLimitsAndDeletionsThePhoneShowsTheNumberOfTheAPI() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    let database = bundle.runner.database
    try await database.script(
      """
      INSERT INTO user_tokens (value, user_id) VALUES ('token-of-eva', '\(Self.eva)');
      DELETE FROM events WHERE title = 'Movie Night'; DELETE FROM event_proposals
      """)
    func pass(_ time: String) async throws {
      let outcome = try await bundle.runner.run(
        ["clock", "advance", time, "--any-local-database"], timeout: .seconds(300))
      #expect(outcome.exit == 0, "\(outcome.stderr)")
    }
    try await bundle.settle()
    for course in BadgeCourse.all {
      for step in course.steps {
        switch step {
        case .fault(let status, let times):
          let reason = status == 429 ? "TooManyRequests" : "ServiceUnavailable"
          try await phones.tell(
            "/faults", #"{"answer":{"status":\#(status),"reason":"\#(reason)"},"tokens":"c5*","times":\#(times)}"#)
        case .pass(let time): try await pass(time)
        default: try await database.script(step.sql)
        }
        try await bundle.runner.wait(
          within: .seconds(120),
          until: """
            (SELECT count(*) FROM runner.events) + (SELECT count(*) FROM runner.retries)
              + (SELECT count(*) FROM deliveries WHERE state = 'queued' AND not_before <= runner.now()) = 0
            """)
      }
      try await pass("70m")
      let answer = try await phones.served.request(
        "/api/v1/notifications/unread-count?app=lockitin",
        headers: [(name: "Authorization", value: "Bearer token-of-eva")])
      let badge = try #require(answer.json?["badge"]?.intValue, "\(answer.text)")
      #expect(try await badges(phones)["c5"] == badge, "\(course.name)")
    }
  }

  @Test func readingEverythingAtOnceTellsEachDeviceOnce() async throws {
    let bundle = try await RunningBundle()
    let phones = try await bundle.start()
    let database = bundle.runner.database
    try await bundle.settle()
    try await database.script(
      """
      INSERT INTO notifications (user_id, app, type, title, origin)
      SELECT id, 'feedbackkit', 'new_vote', 'New Vote', 'function' FROM users, generate_series(1, 1000)
      WHERE name = 'Ada';
      UPDATE notifications SET is_read = true WHERE app = 'feedbackkit' AND user_id = (SELECT id FROM users WHERE name = 'Ada')
      """)
    try await bundle.settle(within: .seconds(600))

    let badges = try await phones.pushes().filter { push in
      push["payload"]?["aps"]?["alert"] == nil && push["topic"]?.stringValue != "com.lockit.app"
    }
    // An answer that comes too late makes the sender try again under the same collapse id.
    #expect(Set(badges.compactMap { $0["token"]?.stringValue?.prefix(2) }) == ["a1", "b1"])
    let made = try await database.query(
      """
      SELECT count(*) AS n FROM deliveries d JOIN notifications n ON n.id = d.notification_id
      WHERE n.type = 'badge' AND n.app = 'feedbackkit'
      """
    ).only()
    // One that came after its lease leaves it open which number a device has: the right one is sent once more.
    let late = try await database.query(
      "SELECT FROM push_notification_logs WHERE status <> 'sent' OR attempt IS NULL")
    #expect(made["n"] == "2" || !late.isEmpty)
    #expect(badges.allSatisfy { $0["payload"]?["aps"]?["badge"]?.intValue == 0 })
    let handled = try await database.query(
      "SELECT count(*) AS n FROM runner.history WHERE function = 'action-completed' AND exit_status = 0"
    ).only()
    #expect(try handled.decode("n", as: Int.self) >= 1_000)
  }
}
