import FoundationEssentials
import FunctionKit
import HTTP2
import Testing

@testable import PushEmulator

/// The requests for channels, and pushes on them, that APNs refuses.
struct ChannelRulesTests {
  private static let plan = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#

  @Test(
    arguments: [
      ("POST", "/1/apps/com.example.app/channel", .badPath), ("POST", "/1/apps//channels", .badPath),
      ("POST", "/1/apps/com.example.app/channels/x", .badPath), ("POST", "/1/users/com.example.app/channels", .badPath),
      ("PUT", "/1/apps/com.example.app/channels", .methodNotAllowed),
      ("POST", "/1/apps/com.example.app/all-channels", .methodNotAllowed),
      ("POST", "/1/apps/com.example.app.push-type.liveactivity/channels", .topicDisallowed),
    ] as [(String, String, Reason)])
  func refusesARoute(method: String, path: String, reason: Reason) {
    var apns = SampleAPNS()

    #expect(apns.call(method, path, Self.plan).effect.answer == .refused(reason))
  }

  @Test(
    arguments: [
      ("", .badRequestPayload), ("[1]", .badRequestPayload), ("{", .badRequestPayload),
      (#"{"message-storage-policy":1,"push-type":"LiveActivity","name":"x"}"#, .badRequestParams),
      (#"{"push-type":"LiveActivity"}"#, .badRequestParams),
      (#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#, .badRequestParams),
      (#"{"message-storage-policy":"1","push-type":"LiveActivity"}"#, .badRequestParams),
      (#"{"message-storage-policy":1}"#, .missingPushType),
      (#"{"message-storage-policy":1,"push-type":"alert"}"#, .invalidPushType),
    ] as [(String, Reason)])
  func refusesABody(body: String, reason: Reason) {
    var apns = SampleAPNS()

    #expect(apns.call("POST", "/1/apps/com.example.app/channels", body).effect.answer == .refused(reason))
  }

  @Test(
    arguments: [
      (nil, .missingChannelID), ("", .missingChannelID), ("a channel", .badChannelID), ("YWI", .badChannelID),
      (String(repeating: "YWJj", count: 65), .badChannelID), ("YWJj", .channelNotRegistered),
    ] as [(String?, Reason)])
  func aChannelMustExist(id: String?, reason: Reason) throws {
    var apns = SampleAPNS()
    _ = apns.channel()
    for method in ["GET", "DELETE"] {
      let call = apns.call(method, "/1/apps/com.example.app/channels", fields: ["apns-channel-id": id])
      #expect(call.effect.answer == .refused(reason))
    }
    #expect(apns.answer(to: Samples.broadcast(on: id)) == .refused(reason))
  }

  @Test func aChannelIsOfOneAppAndOneEnvironment() {
    var apns = SampleAPNS()
    let channel = apns.channel()

    let other = apns.call("GET", "/1/apps/com.example.other/channels", fields: ["apns-channel-id": channel])
    #expect(other.effect.answer == .refused(.channelNotRegistered))
    apns.connection = Connection(number: 2, face: .sandbox, peer: "", openedAt: Samples.now)
    #expect(apns.answer(to: Samples.broadcast(on: channel)) == .refused(.channelNotRegistered))
    let all = apns.call("GET", "/1/apps/com.example.app/all-channels")
    #expect(apns.apns.perform(all).body == Array(#"{"channels":[]}"#.utf8))
  }

  @Test func aKeyIsForItsAppsAndProviderTokensAreNeeded() {
    var apns = SampleAPNS()

    let call = apns.call("POST", "/1/apps/com.example.app/channels", Self.plan, fields: ["authorization": nil])
    #expect(call.effect.answer == .refused(.missingProviderToken))
    #expect(apns.answer(to: Samples.broadcast(on: "YWJj", ["authorization": nil])) == .refused(.missingProviderToken))
    var own = SampleAPNS(rules: PushRules(bundleIDs: ["com.example.other"]))
    #expect(own.answer(to: Samples.broadcast(on: "YWJj")) == .refused(.topicDisallowed))
    #expect(throws: Reason.topicMismatch) { try PushRules().checkApp("com.example.app", topics: ["com.example.other"]) }
  }

  @Test func anAppHasTenThousandChannelsAtMost() throws {
    var apns = SampleAPNS()
    let (app, sandbox) = (
      BroadcastChannel.Owner(app: Samples.topic, environment: .production),
      BroadcastChannel.Owner(app: Samples.topic, environment: .sandbox)
    )
    for _ in 0..<9_999 { _ = apns.apns.channels.create(for: app, .none) }
    let last = apns.channel()

    let call = apns.call("POST", "/1/apps/com.example.app/channels", Self.plan)
    #expect(call.effect.answer == .refused(.cannotCreateChannelConfig))
    try apns.apns.channels.checkRoom(for: sandbox)
    let removal = apns.call("DELETE", "/1/apps/com.example.app/channels", fields: ["apns-channel-id": last])
    #expect(apns.apns.perform(removal).status == 204)
    try apns.apns.channels.checkRoom(for: app)
  }

  @Test(
    arguments: [
      ("apns-push-type", nil, .missingPushType), ("apns-push-type", "alert", .invalidPushType),
      ("apns-priority", nil, .badPriority), ("apns-priority", "7", .badPriority),
      ("apns-expiration", nil, .badExpirationDate), ("apns-expiration", "soon", .badExpirationDate),
      ("apns-request-id", "1", .badMessageID),
    ] as [(String, String?, Reason)])
  func refusesAFieldOfABroadcast(name: String, value: String?, reason: Reason) {
    var apns = SampleAPNS()
    let channel = apns.channel()

    #expect(apns.answer(to: Samples.broadcast(on: channel, [name: value])) == .refused(reason))
  }

  @Test(
    arguments: [
      ("0", "0", .accepted), ("0", "1800003600", .refused(.badExpirationDate)), ("1", "1800003600", .accepted),
      ("1", "0", .accepted),
    ] as [(String, String, Answer)])
  func aChannelWithoutStorageTakesNothingForLater(policy: String, expiration: String, answer: Answer) {
    var apns = SampleAPNS()
    let channel = apns.channel(policy)

    #expect(apns.answer(to: Samples.broadcast(on: channel, ["apns-expiration": expiration])) == answer)
  }

  @Test func theLimitOfABroadcastIsHigherThanThatOfAPush() {
    var apns = SampleAPNS()
    let channel = apns.channel()
    let most = #"{"aps":{}}"# + String(repeating: " ", count: 5_120 - 10)

    #expect(apns.answer(to: Samples.broadcast(on: channel, body: most)) == .accepted)
    #expect(apns.answer(to: Samples.broadcast(on: channel, body: most + " ")) == .refused(.payloadTooLarge))
    #expect(apns.answer(to: Samples.broadcast(on: channel, body: "")) == .refused(.payloadEmpty))
  }

  @Test(
    arguments: [
      ("GET", "/4/broadcasts/apps/com.example.app", .methodNotAllowed), ("POST", "/4/broadcasts/apps/", .badPath),
      ("POST", "/4/broadcast/apps/com.example.app", .badPath),
    ] as [(String, String, Reason)])
  func refusesARouteOfABroadcast(method: String, path: String, reason: Reason) {
    var apns = SampleAPNS()

    #expect(apns.answer(to: Samples.broadcast(on: "YWJj", method: method, path: path)) == .refused(reason))
  }
}

extension Samples {
  /// A broadcast that is accepted if its channel exists.
  static func broadcast(
    on channel: String?, _ changes: [String: String?] = [:], method: String = "POST",
    path: String = "/4/broadcasts/apps/com.example.app", body: String = #"{"aps":{}}"#
  ) -> PushRequest {
    let fields: [String: String?] = [
      "apns-topic": nil, "apns-push-type": "liveactivity", "apns-id": nil, "apns-channel-id": channel,
    ]
    return request(fields.merging(changes) { $1 }, method: method, path: path, body: body)
  }
}

extension SampleAPNS {
  /// A request to the channel management API, as it was understood.
  mutating func call(
    _ method: String, _ path: String, _ body: String = "", fields: [String: String?] = [:]
  ) -> ChannelCall {
    let request = Samples.request(["apns-id": nil].merging(fields) { $1 }, method: method, path: path, body: body)
    return apns.judgeCall(request, on: connection, faults: &phones.faults, now: Samples.now)
  }

  /// A new channel of the sample app.
  mutating func channel(_ policy: String = "1") -> String {
    let call = call(
      "POST", "/1/apps/com.example.app/channels", #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
    return apns.perform(call).headers["apns-channel-id"] ?? ""
  }
}
