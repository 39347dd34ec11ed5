import DeliveryLive
import FoundationEssentials
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// Pushes that show nothing: a badge alone, and background pushes.
@Suite(.heavy)
struct QuietPushTests {
  private static let badge = #"{"aps":{},"notificationId":"x"}"#
  private let accepting = ScriptedClient(.accepted, status: 200)

  private func bodies(_ client: ScriptedClient) -> [String] {
    client.pushes.compactMap { $0.body.map { String(decoding: $0, as: UTF8.self) } }
  }

  @Test func aBadgeOfZeroIsSentAndCountsNowhere() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register(["aa"])
    try await fixture.enqueueQuiet("aa", payload: Self.badge)

    try await fixture.deliver(accepting.client)

    #expect(bodies(accepting) == [#"{"aps":{"badge":0},"notificationId":"x"}"#])
    let push = try #require(accepting.pushes.first)
    #expect(push.pushType == "alert" && push.priority == 5 && push.collapseID == "badge")
  }

  @Test(arguments: [("alert", badge), ("background", #"{"aps":{"content-available":1}}"#)])
  func aQuietPushCannotBeWrittenAsAnEntryThatCounts(type: String, payload: String) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register(["aa"])

    await #expect(throws: PostgresError.self) {
      try await fixture.enqueueQuiet("aa", payload: payload, pushType: type, counts: true)
    }
  }

  @Test func aBackgroundPushHasNoBadgeAndNeverTheHighestPriority() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.enqueueQuiet(
      "aa", payload: #"{"aps":{"content-available":1}}"#, pushType: "background", priority: 10)

    try await fixture.deliver(accepting.client)

    let push = try #require(accepting.pushes.first { $0.pushType == "background" })
    #expect(push.badge == nil && push.priority == 5)
    #expect(accepting.pushes.first { $0.pushType == "alert" }?.badge == 1)
  }

  @Test func theFourthOfAnHourWaitsAndThenHasTheLatestValue() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register(["aa"])
    for minute in 0..<3 {
      try await fixture.enqueueQuiet("aa", payload: Self.badge, at: fixture.now + Double(60 * minute))
      let summary = try await fixture.deliver(accepting.client, after: Double(60 * minute))
      #expect(summary.accepted == 1)
    }

    try await fixture.enqueueQuiet("aa", payload: Self.badge, at: fixture.now + 180)
    try await fixture.enqueueAgain(["aa"])
    let fourth = try await fixture.deliver(accepting.client, after: 180)

    #expect(fourth == DeliverySummary(claimed: 2, accepted: 1, retried: 1, wakeAt: fixture.now + 3_600))
    #expect(try await fixture.deliveries("aa").compactMap(\.reason) == ["TooManyQuietPushes"])
    try await fixture.enqueueAgain(["aa"])
    try await fixture.deliver(accepting.client, after: 3_600)
    #expect(bodies(accepting).last { $0.contains("notificationId") } == #"{"aps":{"badge":2},"notificationId":"x"}"#)
    #expect(bodies(accepting).count { $0.contains("notificationId") } == 4)
  }

  @Test func ofSeveralThatWaitTheLatestAloneIsSent() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register(["aa", "bb"])
    for second in 0..<5 {
      try await fixture.enqueueQuiet("aa", payload: Self.badge, at: fixture.now - Double(second))
    }
    try await fixture.enqueueQuiet("bb", payload: Self.badge)

    let summary = try await fixture.deliver(accepting.client)

    #expect(summary == DeliverySummary(claimed: 6, accepted: 2, expired: 4))
    let sent = try await fixture.connection.query(
      """
      SELECT d.created_at FROM deliveries d JOIN device_tokens t ON t.id = d.device_token_id
      WHERE t.token = 'aa' AND d.state = 'accepted'
      """)
    #expect(try sent.only().decode("created_at", as: Date.self) == fixture.now)
    #expect(Set(try await fixture.deliveries("aa").compactMap(\.reason)) == ["Superseded"])
  }

  @Test func differentOnesShareTheHour() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register(["aa"])
    for number in 0..<5 {
      try await fixture.enqueueQuiet(
        "aa", payload: #"{"aps":{"content-available":1}}"#, pushType: "background", collapseID: "sync-\(number)")
    }

    let first = try await fixture.deliver(accepting.client)
    let second = try await fixture.deliver(accepting.client, after: 3_600)

    #expect(first == DeliverySummary(claimed: 5, accepted: 3, retried: 2, wakeAt: fixture.now + 3_600))
    #expect(second.accepted == 2)
  }

  @Test func alertsAreNotCounted() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    for _ in 0..<5 { try await fixture.enqueueAgain(["aa"]) }
    try await fixture.enqueueQuiet("aa", payload: Self.badge)

    #expect(try await fixture.deliver(accepting.client).accepted == 7)
    let counted = try await fixture.connection.query("SELECT cardinality(quiet_pushes) AS n FROM device_tokens").only()
    #expect(counted["n"] == "1")
  }

  @Test func whatIsNotSentTakesNoPlaceInTheHour() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register(["aa"])
    for name in ["one", "two"] { try await fixture.enqueueQuiet("aa", payload: Self.badge, collapseID: name) }
    let away = ScriptedClient(.notSent(pause: .seconds(1)))
    for second in 0..<5 {
      let summary = try await fixture.deliver(away.client, after: Double(second))
      #expect(summary.retried == 2)
    }

    #expect(try await fixture.device("aa", "quiet_pushes") == "{}")
    #expect(try await fixture.deliver(accepting.client, after: 5).accepted == 2)
    #expect(try await fixture.device("aa", "quiet_pushes")?.split(separator: ",").count == 2)
  }

  @Test func whatWasNotAnsweredMayHaveBeenSentAndKeepsItsPlace() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register(["aa"])
    try await fixture.enqueueQuiet("aa", payload: Self.badge)

    try await fixture.deliver(ScriptedClient(.unknown).client)

    #expect(try await fixture.device("aa", "quiet_pushes") != "{}")
  }

  @Test func aClaimThatFailsTakesNoPlace() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register(["aa"])
    try await fixture.enqueueQuiet("aa", payload: Self.badge, at: fixture.now - 3_600)
    try await fixture.connection.script("DROP TABLE notification_rechecks CASCADE")
    let store = DeliveryStore.postgres(fixture.connection)

    await #expect(throws: PostgresError.self) { try await store.claim(10, [.apns], fixture.now) }

    #expect(try await fixture.deliveries("aa").map(\.state) == ["queued"])
    #expect(try await fixture.device("aa", "quiet_pushes") == "{}")
  }

  @Test func severalClaimsAtOnceDoNotExceedTheLimit() async throws {
    let fixture = try await DeliveryFixture()
    let tokens = (0..<10).map { "token-\($0)" }
    try await fixture.register(tokens)
    for token in tokens {
      for number in 0..<6 {
        try await fixture.enqueueQuiet(
          token, payload: #"{"aps":{"content-available":1}}"#, pushType: "background", collapseID: "\(number)")
      }
    }

    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let store = DeliveryStore.postgres(Connection(url: fixture.url, applicationName: "sender"))
          while true {
            let batch = try await store.claim(7, [.apns], fixture.now)
            guard batch.taken > 0 else { return }
            try await store.settle(batch.lease, batch.pushes.map { .accepted($0, fixture.now) }, fixture.now)
          }
        }
      }
      try await group.waitForAll()
    }

    #expect(try await fixture.states() == ["accepted": 30, "queued": 30])
    let most = try await fixture.connection.query(
      """
      SELECT max(n) AS n FROM (
        SELECT count(*) AS n FROM deliveries WHERE state = 'accepted' GROUP BY device_token_id) c
      """)
    #expect(try most.only().decode("n", as: Int.self) == 3)
  }
}

extension DeliveryFixture {
  /// Registers a person's devices.
  func register(_ tokens: [String]) async throws {
    try await enqueue(tokens)
    _ = try await connection.query("DELETE FROM notifications")
  }

  /// Queues a push that shows nothing.
  func enqueueQuiet(
    _ token: String, payload: String, pushType: String = "alert", priority: Int = 5, collapseID: String = "badge",
    counts: Bool = false, at time: Date? = nil
  ) async throws {
    _ = try await connection.query(
      """
      WITH device AS (
        SELECT id, user_id, gen_random_uuid() AS notification FROM device_tokens WHERE token = \(token)
      ), told AS (
        INSERT INTO notifications (id, user_id, type, title, payload, push_type, priority, collapse_id, counts_for_badge,
          is_archived, created_at)
        SELECT notification, user_id, 'badge', '', \(payload), \(pushType), \(priority)::smallint, \(collapseID),
          \(counts), true, \(time ?? now)
        FROM device
      )
      INSERT INTO deliveries
        (notification_id, device_token_id, user_id, app, not_before, expires_at, created_at, updated_at)
      SELECT notification, id, user_id, 'feedbackkit', \(time ?? now), \(now + 86_400), \(time ?? now), \(time ?? now)
      FROM device
      """)
  }
}
