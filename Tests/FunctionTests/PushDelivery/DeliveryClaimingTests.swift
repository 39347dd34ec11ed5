import DeliveryLive
import FoundationEssentials
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// Deliveries that are taken, those that take them, and the fate of deliveries that cannot be sent.
@Suite(.heavy)
struct DeliveryClaimingTests {
  let accepting = ScriptedClient(.accepted, status: 200)

  @Test func whatHasExpiredIsNotSent() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"], expiresAt: fixture.now)

    let summary = try await fixture.deliver(accepting.client)

    #expect(summary == DeliverySummary(claimed: 1, expired: 1))
    #expect(accepting.pushes.isEmpty)
    #expect(try await fixture.delivery("aa").state == "expired")
  }

  @Test(arguments: [
    "is_active = false", "user_id = (SELECT id FROM users WHERE email = 'b@example.com')", "app = 'mugshot'",
  ])
  func aDeviceThatIsNoLongerThePersonsOrTheAppsGetsNothing(change: String) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    _ = try await fixture.connection.query("INSERT INTO users (email, name) VALUES ('b@example.com', 'Bo')")
    _ = try await fixture.connection.query("UPDATE device_tokens SET \(unescaped: change)")

    let summary = try await fixture.deliver(accepting.client)

    #expect(summary == DeliverySummary(claimed: 1, rejected: 1))
    #expect(accepting.pushes.isEmpty)
    #expect(try await fixture.delivery("aa").reason == "NoActiveDevice")
  }

  @Test func whatIsNotYetDueWaits() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    _ = try await fixture.connection.query("UPDATE deliveries SET not_before = \(fixture.now + 0.0005)")

    let summary = try await fixture.deliver(accepting.client)

    #expect(summary.claimed == 0)
    #expect(abs((summary.wakeAt ?? .distantPast).timeIntervalSince(fixture.now) - 0.001) < 0.000_01)
    #expect(try await fixture.deliver(accepting.client, after: 0.001).accepted == 1)
  }

  /// Who has leased a delivery may be gone, and nobody else may serve its provider: the sender wakes all the same.
  ///
  /// A delivery to APNs is due at its time; one to FCM, which this sender does not serve, expires.
  @Test(
    arguments: [("apns", "not_before"), ("fcm", "expires_at")],
    [
      ("NULL", false), ("clock_timestamp() - interval '1 second'", false),
      ("clock_timestamp() + interval '1 day'", false),
      ("clock_timestamp() + interval '1 minute'", true),
    ] as [(lease: String, isLeased: Bool)])
  func aLeaseHidesNothing(
    _ delivery: (provider: String, column: String), _ other: (lease: String, isLeased: Bool)
  ) async throws {
    for time: TimeInterval in [-1, 0, 30] {
      let fixture = try await DeliveryFixture()
      try await fixture.enqueue(["aa"], provider: delivery.provider)
      _ = try await fixture.connection.query(
        """
        UPDATE deliveries SET \(identifier: delivery.column) = \(fixture.now + time),
          lease_id = gen_random_uuid(), lease_until = \(unescaped: other.lease)
        """)
      let store = DeliveryStore.postgres(fixture.connection)
      var now = fixture.now
      var due = try await store.nextDue([.apns], now)
      if time > 0 {
        #expect(due == now + time)
        now += time
        due = try await store.nextDue([.apns], now)
      }

      let wait = try #require(due, "\(time)").timeIntervalSince(now)
      #expect(other.isLeased ? (40...60.1).contains(wait) : wait <= 0, "\(time) \(wait)")
      if other.isLeased {
        #expect(try await store.claim(10, [.apns], now).taken == 0, "\(time)")
        try await fixture.endLeases()
      }
      #expect(try await store.claim(10, [.apns], now).taken == 1, "\(time)")
    }
  }

  @Test func aDryRunSendsNothing() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])

    let summary = try await fixture.deliver(accepting.client, dryRun: true)

    #expect(summary == DeliverySummary(wakeAt: fixture.now))
    #expect(try await fixture.delivery("aa").isLeased == false)
    #expect(accepting.pushes.isEmpty)
  }

  @Test func theBadgeIsThatOfTheMoment() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    try await fixture.enqueueAgain(["aa"])

    try await fixture.deliver(accepting.client)

    #expect(accepting.pushes.map(\.badge) == [2, 2])
  }

  @Test func aLeasedDeliveryIsNobodyElsesUntilTheLeaseEnds() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let store = DeliveryStore.postgres(fixture.connection)
    _ = try await store.claim(10, PushProvider.allCases, fixture.now)

    let during = try await fixture.deliver(accepting.client)
    try await fixture.endLeases()
    let after = try await fixture.deliver(accepting.client)

    #expect(during.claimed == 0)
    let lease = (during.wakeAt ?? fixture.now).timeIntervalSince(fixture.now)
    #expect((50...60.1).contains(lease))
    #expect(after.accepted == 1)
  }

  @Test func aStaleLeaseChangesNothingAndItsAttemptIsLogged() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let store = DeliveryStore.postgres(fixture.connection)
    let batch = try await store.claim(10, PushProvider.allCases, fixture.now)
    try await fixture.endLeases()
    try await fixture.deliver(accepting.client)

    let late = batch.pushes.map {
      DeliverySettlement($0, .test(.deviceGone(at: fixture.now)), now: fixture.now, jitter: 0)
    }
    try await store.settle(batch.lease, late, fixture.now)

    let delivery = try await fixture.delivery("aa")
    #expect(delivery.state == "accepted" && delivery.attempts == 1)
    #expect(try await fixture.device("aa", "is_active") == "true")
    #expect(try await fixture.log("aa") == ["sent", "token_expired"])
    let numbers = try await fixture.connection.query("SELECT attempt FROM push_notification_logs ORDER BY attempt")
    #expect(numbers.map { $0["attempt"] } == ["1", nil])
  }

  @Test func aLeaseThatRanOutAndWasTakenByAnotherIsNotSettledByTheFirst() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let store = DeliveryStore.postgres(fixture.connection)
    let first = try await store.claim(10, [.apns], fixture.now)
    try await fixture.endLeases()
    let second = try await store.claim(10, [.apns], fixture.now)

    try await store.settle(first.lease, first.pushes.map { .accepted($0, fixture.now) }, fixture.now)
    let between = try await fixture.delivery("aa")
    try await store.settle(second.lease, second.pushes.map { .accepted($0, fixture.now) }, fixture.now)

    #expect(between.state == "queued" && between.isLeased && between.attempts == 0)
    let after = try await fixture.delivery("aa")
    #expect(after.state == "accepted" && after.attempts == 1)
    #expect(try await fixture.log("aa") == ["sent", "sent"])
  }

  @Test func severalAtOnceSendEachDeliveryOnce() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue((0..<3_000).map { "token-\($0)" })

    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { try await fixture.deliver(accepting.client) } }
      try await group.waitForAll()
    }

    #expect(accepting.pushes.count == 3_000)
    #expect(Set(accepting.pushes.map(\.id)).count == 3_000)
    #expect(try await fixture.states() == ["accepted": 3_000])
  }

  @Test func anInvocationThatIsCancelledWritesDownWhatWasAnswered() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let client = PushClient { pushes, _ in
      withUnsafeCurrentTask { $0?.cancel() }
      return pushes.map { _ in .test(.accepted, status: 200) }
    }

    _ = await Task { try await fixture.deliver(client) }.result

    #expect(try await fixture.delivery("aa").state == "accepted")
  }

  @Test func withoutADatabaseItIsUnavailable() async throws {
    let store = DeliveryStore.postgres(Connection(url: "postgresql:///?host=/nonexistent", applicationName: "test"))
    let function = PushDelivery(store: store, client: accepting.client)

    await #expect(throws: FunctionErrorCode.databaseAway) {
      try await FunctionErrorCode.of { try await function.handle(.wakeUp, .test(now: .now)) }
    }
  }
}
