import FoundationEssentials
import FunctionKit
import HTTP2
import HTTPClient
import TestSupport
import Testing

@testable import PushEmulator

/// The emulator's answers about devices, as a sender meets it over HTTP/2 and TLS.
@Suite(.heavy)
struct DeviceTests {
  private let path = "/devices/\(Samples.token)"

  @Test func aTokenIsOfOneEnvironment() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script(path, #"{"environment":"sandbox"}"#)
      let push = try emulator.push()

      #expect(try await client.reason(push) == "BadDeviceToken")
      try await withClient(emulator, to: "APNS_SANDBOX_URL") { sandbox in
        let answer = try await sandbox.answer(to: push)
        #expect(answer.status == 200 && answer.headers["apns-unique-id"] != nil)
        try await emulator.script(path, #"{"environment":"production"}"#)
        #expect(try await sandbox.reason(push) == "BadDeviceToken")
      }
      #expect(try await client.reason(push) == "")
    }
  }

  @Test func aTokenIsForItsApps() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script("/devices/ab*", #"{"topics":["com.example.other"]}"#)

      #expect(try await client.reason(try emulator.push()) == "DeviceTokenNotForTopic")
      #expect(try await client.reason(try emulator.push().with(["apns-topic": "com.example.other"])) == "")
    }
  }

  @Test(arguments: [
    (#"{"state":"unregistered","since":7}"#, 410, #"{"reason":"Unregistered","timestamp":7}"#),
    (#"{"state":"expired","since":7}"#, 410, #"{"reason":"ExpiredToken","timestamp":7}"#),
    (#"{"state":"invalid"}"#, 400, #"{"reason":"BadDeviceToken"}"#), (#"{"state":"registered"}"#, 200, ""),
  ])
  func aDeviceAnswersByItsState(state: String, status: Int, body: String) async throws {
    try await withEmulator { emulator, client in
      try await emulator.script(path, state)

      let answer = try await client.answer(to: try emulator.push())
      #expect(answer.status == status && answer.text == body)

      try await emulator.script(path, "", .delete)
      #expect(try await client.reason(try emulator.push()) == "")
      #expect(try await emulator.ask(path, .delete).status == 404)
    }
  }

  @Test func aDeviceIsUnregisteredFromNowOnUnlessItIsSaidSinceWhen() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script("/clock", #"{"now":"2030-01-01T00:00:00Z"}"#, .put)
      let sender = try await SampleSender(emulator, "SECONDKEY1", team: "SECONDTEAM")
      let ahead = Int(try #require(RFC3339.date("2030-01-01T00:00:00Z")).timeIntervalSinceNow)
      try await emulator.script(path, #"{"state":"unregistered"}"#)

      let push = try emulator.push().with(["authorization": try sender.token(in: ahead)])
      let answer = try await client.answer(to: push)

      let time = try RawJSON(validating: answer.body[...])["timestamp"]?.intValue ?? 0
      #expect((1_893_456_000_000..<1_893_456_600_000).contains(time))
    }
  }

  @Test func unknownTokensAreGoodUnlessTheRegistryIsStrict() async throws {
    try await withEmulator(["--strict-tokens"]) { emulator, client in
      #expect(try await client.reason(try emulator.push()) == "BadDeviceToken")
      try await emulator.script(path, #"{"state":"registered"}"#)
      #expect(try await client.reason(try emulator.push()) == "")
    }
  }

  @Test func anOfflineDeviceGetsTheNewestPushOfEachAppWhenItComesBack() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script(path, #"{"online":false}"#)
      let texts = [("a", "com.example.app"), ("b", "com.example.other"), ("c", "com.example.app")]
      for (text, topic) in texts {
        let push = try emulator.push(#"{"aps":{"alert":"\#(text)"}}"#).with(["apns-topic": topic])
        #expect(try await client.reason(push) == "")
      }
      #expect(try await shown(emulator) == [])

      try await emulator.script(path, #"{"online":true}"#)

      #expect(try await shown(emulator) == ["b", "c"])
    }
  }

  @Test func whatIsGoodOnlyAtOnceOrHasExpiredIsNotKept() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script(path, #"{"online":false}"#)
      let soon = Int(Date.now.timeIntervalSince1970) + 600
      let late = try emulator.push(#"{"aps":{"alert":"late"}}"#)
        .with(["apns-expiration": "\(soon)", "apns-topic": "com.example.other"])
      for push in [
        late, try emulator.push().with(["apns-expiration": "0"]), try emulator.push().with(["apns-expiration": "300"]),
      ] {
        #expect(try await client.reason(push) == "")
      }
      let kept = try await emulator.pushes().map { $0["offline"]?.stringValue }
      #expect(kept == ["stored", "discarded", "discarded"])

      try await emulator.script("/clock", #"{"offset":601}"#, .put)
      try await emulator.script(path, #"{"online":true}"#)

      #expect(try await shown(emulator) == [])
    }
  }

  @Test func theSameNotificationStackedIsCounted() async throws {
    try await withEmulator { emulator, client in
      let bodies = [
        #"{"aps":{"alert":"a"},"notificationId":"1"}"#, #"{"aps":{"alert":"b"},"notificationId":"1"}"#,
        #"{"aps":{"alert":"b"},"notificationId":"2"}"#,
      ]
      for body in bodies { #expect(try await client.reason(try emulator.push(body)) == "") }
      let other = Samples.token.replacing("ab", with: "cd")
      for _ in 0..<2 {
        #expect(try await client.reason(try emulator.push(to: other).with(["apns-collapse-id": "x"])) == "")
      }

      let json = try await emulator.json("/devices")

      #expect(json["shown"]?.intValue == 5 && json["duplicates"]?.intValue == 1)
      #expect(json["devices"]?.elements?.map { $0["duplicates"]?.intValue } == [1, 0])
    }
  }

  private func shown(_ emulator: RunningEmulator) async throws -> [String] {
    let devices = try await emulator.json("/devices?token=\(Samples.token)")["devices"]?.elements ?? []
    let notifications = devices.first?["notifications"]?.elements ?? []
    return notifications.compactMap { $0["push"]?["payload"]?["aps"]?["alert"]?.stringValue }
  }
}
