import FoundationEssentials
import Notifications
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import PushDelivery

/// What each verdict leaves in the database.
@Suite(.makesDatabases)
struct DeliverySettlingTests {
  @Test func anAcceptedPushIsWrittenDownWithItsDevice() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])

    let summary = try await fixture.deliver(ScriptedClient(.accepted, status: 200).client)

    #expect(summary == DeliverySummary(claimed: 1, accepted: 1))
    let delivery = try await fixture.delivery("aa")
    #expect(delivery.state == "accepted" && delivery.attempts == 1 && delivery.hasApnsID && !delivery.isLeased)
    #expect(try await fixture.log("aa") == ["sent"])
    #expect(try await fixture.device("aa", "last_used_at") != nil)
    #expect(try await fixture.device("aa", "environment") == "sandbox")
    #expect(try await fixture.device("aa", "bundle_id") == "com.example.app")
  }

  @Test func aDeviceGoneSinceItsRegistrationIsDeactivated() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"], registeredAt: fixture.now - 60)

    try await fixture.deliver(
      ScriptedClient(.deviceGone(at: fixture.now - 60), status: 410, reason: "Unregistered").client)

    #expect(try await fixture.device("aa", "is_active") == "false")
    #expect(try await fixture.device("aa", "deactivated_reason") == "Unregistered")
    #expect(try await fixture.device("aa", "deactivated_at") != nil)
    #expect(try await fixture.log("aa") == ["token_expired"])
    #expect(try await fixture.delivery("aa").state == "rejected")
  }

  @Test func aDeviceRegisteredAnewSinceItWasGoneStaysActive() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"], registeredAt: fixture.now - 59)

    try await fixture.deliver(
      ScriptedClient(.deviceGone(at: fixture.now - 60), status: 410, reason: "Unregistered").client)

    #expect(try await fixture.device("aa", "is_active") == "true")
    #expect(try await fixture.delivery("aa").state == "rejected")
  }

  @Test func aSuspectDeviceIsTriedInTheOtherEnvironmentAndCorrected() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"], environment: "sandbox")
    let apns = ScriptedClient { push in
      push.isProbe
        ? .test(.accepted, status: 200, environment: .production)
        : .test(.deviceSuspect, status: 400, reason: "BadDeviceToken")
    }

    let summary = try await fixture.deliver(apns.client)

    #expect(summary == DeliverySummary(claimed: 2, accepted: 1, retried: 1))
    #expect(try await fixture.device("aa", "environment") == "production")
    #expect(try await fixture.device("aa", "is_active") == "true")
    #expect(try await fixture.log("aa") == ["deferred", "sent"])
  }

  @Test func aDeviceThatBothEnvironmentsRefuseIsDeactivated() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])

    try await fixture.deliver(ScriptedClient(.deviceSuspect, status: 400, reason: "BadDeviceToken").client)

    #expect(try await fixture.device("aa", "is_active") == "false")
    #expect(try await fixture.log("aa") == ["deferred", "token_expired"])
  }

  @Test func aRefusedDeviceThatRegistersMeanwhileStaysActive() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])
    let client = PushClient { pushes, _ in
      _ = try? await fixture.connection.query("UPDATE device_tokens SET registered_at = now() + interval '1 minute'")
      return pushes.map { _ in .test(.deviceNotForTopic, status: 400, reason: "DeviceTokenNotForTopic") }
    }

    try await fixture.deliver(client)

    #expect(try await fixture.device("aa", "is_active") == "true")
  }

  @Test func aServerErrorCostsAnAttemptAndAQuarterOfAnHour() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])

    let summary = try await fixture.deliver(
      ScriptedClient(.retryLater(atLeast: nil), status: 503, reason: "ServiceUnavailable").client)

    let delivery = try await fixture.delivery("aa")
    #expect(delivery.state == "queued" && delivery.attempts == 1 && delivery.reason == "ServiceUnavailable")
    #expect(delivery.notBefore == fixture.now + 900 && summary.wakeAt == fixture.now + 900)
    #expect(try await fixture.log("aa") == ["deferred"])
  }

  @Test func aThrottledDeviceHoldsAllItsDeliveriesAndNoOthers() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa", "bb"])
    let client = PushClient { pushes, _ in
      if pushes.contains(where: { $0.attempts == 0 && $0.device.lastAcceptedAt == nil }) {
        try? await fixture.enqueueAgain(["aa", "bb"])
      }
      return pushes.map { push in
        push.device.token == "aa" ? .test(.holdDevice(atLeast: nil), status: 429) : .test(.accepted, status: 200)
      }
    }

    let summary = try await fixture.deliver(client)

    #expect(summary == DeliverySummary(claimed: 4, accepted: 2, retried: 2, wakeAt: fixture.now + 60))
    #expect(try await fixture.deliveries("aa").map(\.notBefore) == [fixture.now + 60, fixture.now + 60])
    #expect(try await fixture.deliveries("aa").map(\.attempts).sorted() == [0, 1])
  }

  @Test(arguments: [PushVerdict.holdApp, .holdTeam])
  func aMistakeInTheConfigurationLosesNothing(verdict: PushVerdict) async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])

    let summary = try await fixture.deliver(ScriptedClient(verdict, status: 403, reason: "Forbidden").client)

    let delivery = try await fixture.delivery("aa")
    #expect(delivery.state == "queued" && delivery.attempts == 0 && !delivery.isLeased)
    #expect(try await fixture.device("aa", "is_active") == "true")
    #expect(summary.retried == 1 && (summary.wakeAt ?? .distantPast) > fixture.now)
  }

  @Test func whatWasNotSentLeavesNoTrace() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"])

    let summary = try await fixture.deliver(ScriptedClient(.notSent(pause: .seconds(4))).client)

    let delivery = try await fixture.delivery("aa")
    #expect(delivery.state == "queued" && delivery.attempts == 0 && delivery.reason == nil && !delivery.isLeased)
    #expect(try await fixture.log("aa").isEmpty)
    #expect(summary.wakeAt == fixture.now + 4)
  }

  @Test func withoutAnAnswerThePushIsTriedAgainUntilItsEnd() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa"], expiresAt: fixture.now + 2)
    let apns = ScriptedClient(.unknown, reason: "ConnectionLost")

    let first = try await fixture.deliver(apns.client)
    try await fixture.deliver(apns.client, after: 1)

    #expect(first == DeliverySummary(claimed: 1, unknown: 1, wakeAt: fixture.now + 1))
    #expect(try await fixture.delivery("aa").state == "unknown")
    #expect(try await fixture.log("aa") == ["unknown", "unknown"])
    #expect(Set(apns.pushes.map(\.collapseID)) == ["aa"])
  }

  /// Settling has the lowest delivery and waits for the middle one when whoever has the highest asks for the lowest.
  @Test func whatADeadlockUndidIsWrittenDownAgain() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa", "bb", "cc"])
    // It finds deliveries as among many, and is the one to find the deadlock.
    let connection = Connection(
      url: fixture.url, applicationName: "settling",
      parameters: [("enable_seqscan", "off"), ("deadlock_timeout", "10ms")])
    let store = DeliveryStore.postgres(connection)
    let batch = try await store.claim(10, [.apns], fixture.now)
    let pushes = batch.pushes.sorted { $0.id.uuidString > $1.id.uuidString }
    let (one, other) = (fixture.anotherConnection(), fixture.anotherConnection())

    let committing = Task {
      try await other.transaction { other in
        _ = try await other.query(.lock(pushes[1]))
        let settling = Task {
          try await store.settle(batch.lease, pushes.map { .accepted($0, fixture.now) }, fixture.now)
        }
        try await fixture.wait(until: "2 = (\(SQL.waitingSessions))")
        return settling
      }
    }
    try await one.transaction { one in
      _ = try await one.pipeline(["SET LOCAL deadlock_timeout = '1min'", .lock(pushes[0])])
      try await fixture.wait(until: "1 = (\(SQL.waitingSessions))")
      _ = try await one.query(.lock(pushes[2]))
    }
    let settling = try await committing.value
    try await settling.value

    #expect(try await fixture.states() == ["accepted": 3])
    #expect(try await fixture.log("aa") == ["sent"])
  }
}

extension SQL {
  fileprivate static func lock(_ push: QueuedPush) -> SQL {
    "SELECT FROM deliveries WHERE id = \(push.id) FOR UPDATE"
  }

  fileprivate static let waitingSessions: SQL =
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
}
