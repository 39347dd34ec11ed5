import FoundationEssentials
import FunctionKit
import HTTP2
import HTTPClient
import TestSupport
import Testing

@testable import PushEmulator

/// Channels and broadcasts over HTTP/2, and the phones that listen.
@Suite(.heavy)
struct ChannelTests {
  private static let phones = ["ab", "cd", "ef"].map { String(repeating: $0, count: 32) }

  @Test func aChannelIsCreatedReadListedAndDeleted() async throws {
    try await withEmulator { emulator, client in
      let id = "2288cf3f-70d8-46a6-97d7-dd5d00867127"
      let made = try await client.answer(
        to: try emulator.call("POST", plan: "0").with(["apns-request-id": id]))
      let channel = try #require(made.headers["apns-channel-id"])
      let read = try await client.answer(to: try emulator.call("GET", channel))
      let all = try await client.answer(to: try emulator.call("GET", at: "all-channels"))
      let gone = try await client.answer(to: try emulator.call("DELETE", channel))

      #expect(made.status == 201 && made.body.isEmpty && made.headers["apns-request-id"] == id)
      #expect(read.status == 200 && read.text == #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)
      #expect(all.status == 200 && all.text == #"{"channels":["\#(channel)"]}"#)
      #expect(gone.status == 204 && gone.headers["apns-request-id"] != nil)
      #expect(try await client.reason(try emulator.call("DELETE", channel)) == "ChannelNotRegistered")
    }
  }

  @Test func aBroadcastReachesTheActivitiesThatWereStartedWithItsChannelOnly() async throws {
    try await withEmulator { emulator, client in
      let (channel, other) = (try await emulator.channel(client), try await emulator.channel(client))
      for (phone, channel) in zip(Self.phones, [channel, channel, other]) {
        try await emulator.start(client, on: phone, channel)
      }

      let answer = try await client.answer(to: try emulator.broadcast("update", 2, on: channel))

      #expect(answer.status == 200 && answer.headers["apns-request-id"] != nil && answer.headers["apns-id"] == nil)
      #expect(answer.headers["apns-unique-id"] != nil)
      #expect(try await emulator.states() == [2, 2, 1])
      let pushes = try await emulator.pushes("channel=\(channel.replacing("+", with: "%2B"))")
      #expect(pushes.count == 1 && pushes.first?["channel"]?.stringValue == channel)
      let devices = try await emulator.json("/devices")["devices"]?.elements ?? []
      #expect(Set(devices.compactMap { $0["token"]?.stringValue }) == Set(Self.phones))
      let listed = try await emulator.json("/channels")["channels"]?.elements ?? []
      #expect(listed.map { $0["activities"]?.intValue } == [2, 1])
    }
  }

  @Test func aBroadcastOfATypeWithCapitalLettersReachesActivities() async throws {
    try await withEmulator { emulator, client in
      let channel = try await emulator.channel(client)
      try await emulator.start(client, on: Self.phones[0], channel)

      let request = try emulator.broadcast("update", 2, on: channel).with(["apns-push-type": "LiveActivity"])
      #expect(try await client.answer(to: request).status == 200)

      #expect(try await emulator.states() == [2])
      #expect(try await emulator.pushes("type=liveactivity").count == 2)
    }
  }

  @Test func aBroadcastEndsActivitiesAndStartsNone() async throws {
    try await withEmulator { emulator, client in
      let channel = try await emulator.channel(client)
      for phone in Self.phones { try await emulator.start(client, on: phone, channel) }

      _ = try await client.answer(to: try emulator.broadcast("start", 5, on: channel))
      _ = try await client.answer(to: try emulator.broadcast("end", 9, on: channel))
      _ = try await client.answer(to: try emulator.broadcast("update", 10, on: channel))

      let shown = try await emulator.json("/activities")
      #expect(shown["activities"]?.elements?.map { $0["phase"]?.stringValue } == ["ended", "ended", "ended"])
      #expect(try await emulator.states() == [9, 9, 9])
      #expect(
        shown["ignored"]?.elements?.map { $0["why"]?.stringValue }
          == ["A broadcast starts no activity."] + Self.phones.map { _ in "The activity has ended." })
    }
  }

  @Test(arguments: [("1", 3_600, 3), ("1", 0, 1), ("0", 0, 1)])
  func aPhoneThatWasOfflineGetsTheNewestPushOfAChannelThatStoresIt(
    policy: String, lifetime: Int, expected: Int
  ) async throws {
    try await withEmulator { emulator, client in
      let channel = try await emulator.channel(client, policy: policy)
      for phone in Self.phones { try await emulator.start(client, on: phone, channel) }

      try await emulator.script("/devices/\(Self.phones[0])", #"{"online":false}"#)
      for n in [2, 3] {
        #expect(
          try await client.answer(to: try emulator.broadcast("update", n, on: channel, lifetime: lifetime)).status
            == 200)
      }
      let before = try await emulator.states()
      try await emulator.script("/devices/\(Self.phones[0])", #"{"online":true}"#)

      #expect(before == [1, 3, 3])
      #expect(try await emulator.states() == [expected, 3, 3])
    }
  }

  @Test func aStoredPushExpires() async throws {
    try await withEmulator { emulator, client in
      let channel = try await emulator.channel(client)
      try await emulator.start(client, on: Self.phones[0], channel)

      try await emulator.script("/devices/\(Self.phones[0])", #"{"online":false}"#)
      _ = try await client.answer(to: try emulator.broadcast("update", 2, on: channel, lifetime: 60))
      try await emulator.script("/clock", #"{"offset":61}"#, .put)
      try await emulator.script("/devices/\(Self.phones[0])", #"{"online":true}"#)

      #expect(try await emulator.states() == [1])
    }
  }

  @Test func aPhoneWithoutTheAppGetsNoBroadcast() async throws {
    try await withEmulator { emulator, client in
      let channel = try await emulator.channel(client)
      for phone in Self.phones { try await emulator.start(client, on: phone, channel) }

      try await emulator.script("/devices/\(Self.phones[1])", #"{"state":"unregistered","since":7}"#)
      let answer = try await client.answer(to: try emulator.broadcast("update", 2, on: channel))

      #expect(answer.status == 200)
      #expect(try await emulator.states() == [2, 1, 2])
    }
  }

  @Test func channelsOutliveTheEmulatorAndItsSnapshots() async throws {
    let directory = try TemporaryDirectory()
    let first = try await RunningEmulator.start(in: directory)
    let (channel, snapshot) = try await withClient(first) { client in
      let channel = try await first.channel(client)
      try await first.start(client, on: Self.phones[0], channel)
      try await first.script("/devices/\(Self.phones[0])", #"{"online":false}"#)
      _ = try await client.answer(to: try first.broadcast("update", 2, on: channel))
      return (channel, try await first.ask("/snapshot").text)
    }
    await first.stop()

    let second = try await RunningEmulator.start(in: directory)
    let restarted = try await second.json("/channels")["channels"]?.elements?.map { $0["channel"]?.stringValue }
    let reason = try await withClient(second) { client in
      try await client.reason(try second.call("DELETE", channel))
    }
    try await second.script("/snapshot", snapshot, .put)
    let restored = try await second.json("/channels")["channels"]?.elements?.map { $0["activities"]?.intValue }
    let before = try await second.states()
    try await second.script("/devices/\(Self.phones[0])", #"{"online":true}"#)
    let after = try await second.states()
    await second.stop()

    #expect(restarted == [channel] && reason == "" && restored == [1])
    #expect(before == [1] && after == [2])
  }

  /// A sender must find a channel whose answer it has not seen.
  @Test func anAnswerCanBeLostAfterTheChannelWasMade() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script("/faults", #"{"answer":"drop","service":"channels","times":1}"#)
      try await emulator.script("/faults", #"{"answer":{"status":503,"reason":"ServiceUnavailable"},"times":1}"#)

      #expect(await client.statuses(of: [try emulator.call("POST", plan: "1")]) == [0])

      try await withClient(emulator) { client in
        let all = try await client.answer(to: try emulator.call("GET", at: "all-channels"))
        #expect(try RawJSON(validating: all.body[...])["channels"]?.elements?.count == 1)
        #expect(try await emulator.json("/faults")["faults"]?.elements?.map { $0["fired"]?.intValue } == [1, 0])
      }
    }
  }

  @Test func aFaultCanRefuseAChannel() async throws {
    try await withEmulator { emulator, client in
      try await emulator.script(
        "/faults", #"{"answer":{"status":400,"reason":"FeatureNotEnabled"},"service":"channels"}"#)

      #expect(try await client.reason(try emulator.call("POST", plan: "1")) == "FeatureNotEnabled")
      #expect(try await emulator.json("/channels")["channels"]?.elements?.isEmpty == true)
      #expect(try await emulator.ask("/channels", .post).status == 405)
    }
  }
}

extension RunningEmulator {
  /// A request to the channel management API.
  fileprivate func call(
    _ method: String, _ channel: String? = nil, at place: String = "channels", plan policy: String? = nil
  ) throws -> HTTP2Request {
    let body = policy.map { #"{"message-storage-policy":\#($0),"push-type":"LiveActivity"}"# } ?? ""
    var request = HTTP2Request(
      method: method, path: "/1/apps/\(Samples.topic)/\(place)", authority: endpoint.description,
      headers: [HTTP2Header("authorization", try authorization())])
    request.body = Array(body.utf8)
    return request.with(["apns-channel-id": channel])
  }

  /// A new channel.
  fileprivate func channel(_ client: HTTP2Client, policy: String = "1") async throws -> String {
    let answer = try await client.answer(to: try call("POST", plan: policy))
    return try #require(answer.headers["apns-channel-id"])
  }

  /// Starts an activity that listens to a channel, with the state 1.
  fileprivate func start(_ client: HTTP2Client, on phone: String, _ channel: String) async throws {
    let aps =
      #""timestamp":\#(Int(Date.now.timeIntervalSince1970)),"event":"start","attributes-type":"Vote","#
      + #""attributes":{},"content-state":{"n":1},"alert":{"title":"T","body":"B"},"input-push-channel":"\#(channel)""#
    let answer = try await client.answer(
      to: try push(#"{"aps":{\#(aps)}}"#, to: phone).with([
        "apns-push-type": "liveactivity", "apns-topic": "\(Samples.topic).push-type.liveactivity",
      ]))
    #expect(answer.status == 200)
  }

  /// A push on a channel, which gives activities a state.
  fileprivate func broadcast(
    _ event: String, _ n: Int, on channel: String, lifetime: Int = 3_600
  ) throws -> HTTP2Request {
    let now = Int(Date.now.timeIntervalSince1970)
    let body =
      #"{"aps":{"timestamp":\#(now + n),"event":"\#(event)","content-state":{"n":\#(n)},"attributes-type":"Vote","#
      + #""attributes":{},"alert":{"title":"T","body":"B"}}}"#
    return HTTP2Request(
      path: "/4/broadcasts/apps/\(Samples.topic)", authority: endpoint.description,
      headers: [
        HTTP2Header("authorization", try authorization()), HTTP2Header("apns-channel-id", channel),
        HTTP2Header("apns-push-type", "liveactivity"), HTTP2Header("apns-priority", "5"),
        HTTP2Header("apns-expiration", lifetime == 0 ? "0" : "\(now + lifetime)"),
      ], body: Array(body.utf8))
  }

  /// The states that the activities show, the oldest first.
  fileprivate func states() async throws -> [Int?] {
    try await json("/activities")["activities"]?.elements?.map { $0["state"]?["n"]?.intValue } ?? []
  }
}
