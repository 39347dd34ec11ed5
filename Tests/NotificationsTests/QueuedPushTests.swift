import FoundationEssentials
import Notifications
import PushPayload
import Testing

struct QueuedPushTests {
  @Test(arguments: [
    (#"{"aps":{"alert":"Hi"},"type":"t"}"#, 3, #"{"aps":{"badge":3,"alert":"Hi"},"type":"t"}"#),
    (#"{"aps":{}}"#, 0, #"{"aps":{"badge":0}}"#),
    (#"{"aps":{"alert":"Hi"}}"#, nil, #"{"aps":{"alert":"Hi"}}"#),
    (#"{"type":"t"}"#, 3, #"{"type":"t"}"#),
  ])
  func putsTheBadgeFirstIntoAps(payload: String, badge: Int?, body: String) {
    let push = push(payload, badge: badge)

    #expect(push.body.map { String(decoding: $0, as: UTF8.self) } == body)
  }

  @Test func aPayloadLeavesRoomForItsIDAndItsBadge() throws {
    let long = try PushPayload(alert: .init(body: String(repeating: "x", count: 10_000))).encoded()
    let whole = PushPayload.insertID(UUID(), as: .snakeCase, into: long)

    let body = try #require(push(whole, badge: 9_999_999_999).body)

    #expect((QueuedPush.payloadLimit - 40...QueuedPush.payloadLimit).contains(body.count))
    #expect(String(decoding: body, as: UTF8.self).hasPrefix(#"{"aps":{"badge":9999999999,"alert":"#))
  }

  @Test func leavesTheBadgeOutWhereItWouldNotFit() {
    let payload = payload(ofSize: QueuedPush.payloadLimit)

    #expect(push(payload, badge: 12).body?.count == QueuedPush.payloadLimit)
  }

  @Test func hasNoBodyOverTheLimit() {
    #expect(push(payload(ofSize: QueuedPush.payloadLimit + 1), badge: nil).body == nil)
  }

  @Test func onlyAnAcceptanceSinceRegistrationInAKnownEnvironmentProvesADevice() {
    let time = Date(timeIntervalSince1970: 1_000)
    var device = QueuedPush.Device(id: UUID(), token: "ab", environment: .sandbox, registeredAt: time)
    #expect(!device.isProven)

    device.lastAcceptedAt = time
    #expect(device.isProven)

    device.registeredAt = time + 1
    #expect(!device.isProven)

    (device.registeredAt, device.environment) = (time, nil)
    #expect(!device.isProven)
  }

  private func push(_ payload: String, badge: Int?) -> QueuedPush {
    QueuedPush(
      id: UUID(), device: QueuedPush.Device(id: UUID(), token: "ab", registeredAt: .now), payload: payload,
      badge: badge, collapseID: "c", expiresAt: .now)
  }

  private func payload(ofSize size: Int) -> String {
    let frame = #"{"aps":{"alert":""}}"#
    return #"{"aps":{"alert":""# + String(repeating: "x", count: size - frame.utf8.count) + #""}}"#
  }
}
