import DeliveryLive
import FoundationEssentials
import Notifications
import Postgres
import TestSupport
import Testing

@testable import PushDelivery

/// The rows that each verdict leaves in the database.
@Suite(.heavy)
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
      return pushes.map { _ in .test(.deviceGone(at: fixture.now), status: 410, reason: "Unregistered") }
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

  /// Settling has the delivery and waits for a lock of another session, which asks for the delivery.
  @Test func whatGaveWayIsWrittenDownAgain() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.enqueue(["aa", "bb", "cc"])
    try await fixture.connection.script(
      """
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
      CREATE TRIGGER wait BEFORE INSERT ON push_notification_logs FOR EACH ROW EXECUTE FUNCTION wait();
      """)
    let connection = Connection(
      url: fixture.url, applicationName: "settling", parameters: [("lock_timeout", "400ms")])
    let store = DeliveryStore.postgres(connection)
    let batch = try await store.claim(10, [.apns], fixture.now)

    let settling = try await fixture.anotherConnection().transaction { other in
      _ = try await other.pipeline([
        "SET LOCAL deadlock_timeout = '1min'", "SELECT pg_advisory_xact_lock(1)",
      ])
      let settling = Task {
        try await store.settle(batch.lease, batch.pushes.map { .accepted($0, fixture.now) }, fixture.now)
      }
      try await fixture.wait(
        until: """
          EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
            WHERE locktype = 'advisory' AND NOT granted AND datname = current_database())
          """)
      _ = try await other.query("SELECT FROM deliveries FOR UPDATE")
      return settling
    }
    try await settling.value
    _ = try await store.settleKept()

    #expect(try await fixture.states() == ["accepted": 3])
    #expect(try await fixture.log("aa") == ["sent"])
  }
}
