import FunctionKit
import Testing

@testable import PushEmulator

struct DeviceScreenTests {
  @Test func theSameCollapseIDReplaces() {
    let screens = DeviceScreen.all([
      Samples.record(1, ["apns-collapse-id": "a"]), Samples.record(2, ["apns-collapse-id": "b"]),
      Samples.record(3, ["apns-collapse-id": "a"]),
    ])

    #expect(shownSeqs(screens) == [[2, 3]])
    #expect(screens.first?.notifications.last?.replaced == 1)
  }

  @Test func pushesWithoutCollapseIDStack() {
    #expect(shownSeqs(DeviceScreen.all([Samples.record(1), Samples.record(2)])) == [[1, 2]])
  }

  @Test func backgroundPushesAndBadgesAreNotSeen() {
    let background = ["apns-push-type": "background", "apns-priority": "5"]
    let screens = DeviceScreen.all([
      Samples.record(1, background, body: #"{"aps":{"content-available":1}}"#),
      Samples.record(2, body: #"{"aps":{"badge":3}}"#),
    ])

    #expect(shownSeqs(screens) == [[]])
    #expect(screens.first?.badge == 3)
  }

  @Test func refusedPushesDoNotArriveButUnansweredOnesDo() {
    let screens = DeviceScreen.all([
      Samples.record(1, device: .unregistered(since: 1)),
      Samples.record(2, device: .answers([.silence])),
      Samples.record(3, device: .answers([.drop])),
    ])

    #expect(shownSeqs(screens) == [[2, 3]])
  }

  @Test func aScreenIsBounded() {
    let screens = DeviceScreen.all((1...150).lazy.map { Samples.record($0) })

    #expect(screens.first?.notifications.count == DeviceScreen.capacity)
    #expect(shownSeqs(screens).first?.last == 150)
  }

  @Test func theDevicesWithTheNewestPushesComeFirst() throws {
    let pushes = ["a", "b", "c", "b", "d", "a"].enumerated().map { number, letter in
      Samples.record(number + 1, token: String(repeating: letter, count: 64))
    }

    let (screens, total) = DeviceScreen.newest(3, pushes)

    #expect(screens.map { $0.token.prefix(1) } == ["a", "d", "b"] && total == 4)
    #expect(shownSeqs(screens) == [[1, 6], [5], [2, 4]])
  }

  @Test func someNotificationsAreListedAndTheOthersCounted() throws {
    let screen = try #require(DeviceScreen.all((1...5).map { Samples.record($0) }).first)

    let some = try RawJSON(validating: screen.json(notes: 2)[...])
    let all = try RawJSON(validating: screen.json()[...])

    #expect(some["notifications"]?.elements?.compactMap { $0["push"]?["seq"]?.intValue } == [4, 5])
    #expect(some["others"]?.intValue == 3 && some["shown"]?.intValue == 5)
    #expect(all["notifications"]?.elements?.count == 5 && all["others"]?.intValue == 0)
  }

  @Test func jsonTellsDeviceBadgeAndNotifications() throws {
    let screens = DeviceScreen.all([Samples.record(1, body: #"{"aps":{"alert":"Hi","badge":2}}"#)])

    let json = try RawJSON(validating: try #require(screens.first).json()[...])

    #expect(json["token"]?.stringValue == Samples.token)
    #expect(json["badge"]?.intValue == 2)
    let shown = try #require(json["notifications"]?.elements?.first)
    #expect(shown["push"]?["payload"]?["aps"]?["alert"]?.stringValue == "Hi")
  }

  private func shownSeqs(_ screens: [DeviceScreen]) -> [[Int]] {
    screens.map { $0.notifications.compactMap { $0.push["seq"]?.intValue } }
  }
}
