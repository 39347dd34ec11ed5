import FoundationEssentials
import HTTP2
import Notifications
import Postgres
import PushLive
import TestSupport
import Testing

@testable import PushDelivery

/// `DeviceTokenNotForTopic` about a topic that the configuration has named, and not the device.
@Suite(.heavy)
struct ConfiguredTopicTests {
  /// Knows of each token which topic it is for: what stands before the hyphen.
  private func apns() async throws -> APNsFake {
    try await APNsFake { push, responder in
      let isRight = push.topic == "com.example.\(push.token.split(separator: "-")[0])"
      responder.answer(isRight ? 200 : 400, isRight ? nil : "DeviceTokenNotForTopic")
    }
  }

  @Test func aWrongTopicHoldsItsDevicesAndTouchesNoneUntilItIsMended() async throws {
    let (fixture, apns, log) = (try await DeliveryFixture(), try await apns(), LogLines())
    try await fixture.enqueue((0..<40).map { "mine-\($0)" }, isOnePersons: false)
    let time = SenderTime(ManualClock())
    let wrong = PushClient.apns(try apns.sender(log: log.log, time: time))

    let summary = try await fixture.deliver(wrong)
    let again = try await fixture.deliver(wrong, after: 1)

    #expect(summary.retried == 40 && again.claimed == 0 && apns.pushes.count == 1)
    #expect(summary.wakeAt == fixture.now + 300)
    #expect(try await fixture.states() == ["queued": 40])
    #expect(try await fixture.connection.query("SELECT FROM deliveries WHERE attempts > 0").isEmpty)
    #expect(try await fixture.connection.query("SELECT FROM device_tokens WHERE NOT is_active").isEmpty)
    #expect(log.count("configured topic is not that of an app's devices") == 1)
    let reasons = try await fixture.connection.query("SELECT FROM deliveries WHERE reason = 'DeviceTokenNotForTopic'")
    #expect(reasons.count == 1, "the doctor finds it by the reason")

    let right = PushClient.apns(try apns.sender(["APNS_BUNDLE_ID": "com.example.mine"]))
    #expect(try await fixture.deliver(right, after: 301).accepted == 40)
  }

  @Test func twoSwappedTopicsTouchNoDeviceAndThoseThatNameTheirOwnGoOn() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await apns())
    try await fixture.enqueue(["app-1", "app-2", "lockit-1", "lockit-2", "app-own", "lockit-own"], isOnePersons: false)
    try await fixture.connection.script(
      """
      UPDATE device_tokens SET app = 'lockitin' WHERE token LIKE 'lockit-%';
      UPDATE deliveries d SET app = t.app FROM device_tokens t WHERE t.id = d.device_token_id;
      UPDATE device_tokens SET bundle_id = 'com.example.' || split_part(token, '-', 1) WHERE token LIKE '%-own';
      """)
    let swapped = ["APNS_BUNDLE_ID": "com.example.lockit", "APNS_TOPICS": "lockitin=com.example.app"]

    let summary = try await fixture.deliver(.apns(try apns.sender(swapped)))

    #expect(summary.accepted == 2 && summary.retried == 4)
    for token in ["app-own", "lockit-own"] { #expect(try await fixture.delivery(token).state == "accepted") }
    #expect(try await fixture.connection.query("SELECT FROM device_tokens WHERE NOT is_active").isEmpty)
    #expect(try await fixture.deliver(.apns(try apns.sender()), after: 301).accepted == 4)
  }

  @Test func onceADeviceWasAcceptedAStrangersTokenHoldsNobody() async throws {
    let (fixture, apns, log) = (try await DeliveryFixture(), try await apns(), LogLines())
    let client = PushClient.apns(try apns.sender(log: log.log))
    try await fixture.enqueue(["app-1"])
    #expect(try await fixture.deliver(client).accepted == 1)
    try await fixture.enqueue(["strange-1", "app-2", "strange-2", "app-3"])

    let summary = try await fixture.deliver(client)

    #expect(summary.accepted == 2 && summary.rejected == 2)
    #expect(try await fixture.log("strange-1") == ["failed"])
    #expect(try await fixture.connection.query("SELECT FROM device_tokens WHERE NOT is_active").isEmpty)
    #expect(log.count("configured topic") == 0)
  }

  @Test func aDeviceThatNamesTheTopicItselfIsDeactivated() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await apns())
    try await fixture.enqueue(["strange-1"])
    _ = try await fixture.connection.query("UPDATE device_tokens SET bundle_id = 'com.example.app'")

    try await fixture.deliver(try apns.client())

    #expect(try await fixture.delivery("strange-1").state == "rejected")
    #expect(try await fixture.log("strange-1") == ["token_expired"])
    #expect(try await fixture.device("strange-1", "is_active") == "false")
  }
}
