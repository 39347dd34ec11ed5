import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import Testing

@testable import PushLive

struct FCMMessageTests {
  let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func saysToBothSystemsWhatThePayloadSaysToAPNs() throws {
    let push = push(
      #"{"aps":{"alert":{"title":"New Vote","body":"Dark mode has 3 votes"},"category":"VOTE","#
        + #""interruption-level":"time-sensitive","mutable-content":1,"sound":"vote.caf","thread-id":"f1"},"#
        + #""feedbackId":"f1","type":"new_vote","voteCount":3}"#)

    let message = try message(push)

    #expect(
      message
        == json(
          #"""
          {"token":"reg:1","notification":{"title":"New Vote","body":"Dark mode has 3 votes"},
           "data":{"feedbackId":"f1","type":"new_vote","voteCount":"3"},
           "android":{"priority":"HIGH","ttl":"3600s","notification":{"tag":"c","sound":"vote","channel_id":"new_vote",
            "notification_count":3,"notification_priority":"PRIORITY_HIGH"}},
           "apns":{"headers":{"apns-push-type":"alert","apns-priority":"10","apns-expiration":"1800003600",
            "apns-collapse-id":"c"},"payload":{"aps":{"category":"VOTE","interruption-level":"time-sensitive",
            "mutable-content":1,"sound":"vote.caf","thread-id":"f1","badge":3}}}}
          """#))
  }

  @Test func hasOneTargetAndNothingThatIsNotSet() throws {
    let message = try message(push(#"{"aps":{"alert":"Hi"}}"#) { $0.badge = nil })

    #expect(message["notification"] == json(#"{"body":"Hi"}"#) && message["data"] == nil)
    #expect(message.members.map(\.name).filter { ["token", "topic", "condition", "fid"].contains($0) } == ["token"])
    #expect(message["android"]?["notification"] == json(#"{"tag":"c"}"#))
    #expect(message["apns"]?["payload"] == json(#"{"aps":{}}"#))
  }

  @Test func aSubtitleStandsAboveTheBodyAndStaysASubtitleForApple() throws {
    let message = try message(push(#"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"}}}"#))

    #expect(message["notification"] == json(#"{"title":"T","body":"S\nB"}"#))
    let alert = try #require(message["apns"]?["payload"]?["aps"]?["alert"])
    #expect(["title", "subtitle", "body"].map { alert[$0]?.stringValue } == ["T", "S", "B"])
  }

  @Test func everyValueOfTheAppIsAString() throws {
    let message = try message(
      push(#"{"aps":{"alert":"Hi"},"a":"x\"y","b":1.50,"c":true,"d":null,"e":{"k":[1]},"f":9007199254740993}"#))

    #expect(
      message["data"] == json(#"{"a":"x\"y","b":"1.50","c":"true","e":"{\"k\":[1]}","f":"9007199254740993"}"#))
  }

  @Test func namesThatFCMKeepsForItselfAreRenamed() throws {
    let message = try message(
      push(#"{"aps":{"alert":"Hi"},"from":"Ada","google.x":"1","gcm_y":"2","message_type":"3","fromage":"brie"}"#))

    #expect(
      message["data"]
        == json(
          #"{"app_from":"Ada","app_google.x":"1","app_gcm_y":"2","app_message_type":"3","fromage":"brie"}"#))
  }

  @Test(arguments: [
    (3_600.0, "3600s"), (2_419_200, "2419200s"), (9_999_999, "2419200s"), (0.9, "0s"), (0, "0s"), (-60, "0s"),
  ])
  func livesAsLongAsThePushWithinFCMsLimits(seconds: TimeInterval, ttl: String) throws {
    let message = try message(push(#"{"aps":{"alert":"Hi"}}"#) { $0.expiresAt = now + seconds })

    #expect(message["android"]?["ttl"]?.stringValue == ttl)
  }

  @Test func aBadgeWithoutATextReachesAndroidAppsAndCollapses() throws {
    let message = try message(push(#"{"aps":{}}"#) { $0.priority = 5 })

    #expect(message["notification"] == nil && message["data"] == json(#"{"badge":"3"}"#))
    #expect(message["android"] == json(#"{"priority":"NORMAL","ttl":"3600s","collapse_key":"badge"}"#))
    #expect(message["apns"]?["payload"] == json(#"{"aps":{"badge":3}}"#))
  }

  @Test func aBackgroundPushIsDataAlone() throws {
    let payload = #"{"aps":{"content-available":1},"proposal_id":"p","vote_count":5}"#
    let message = try message(
      push(payload) {
        ($0.pushType, $0.priority, $0.badge) = ("background", 5, nil)
      })

    #expect(message["notification"] == nil && message["data"] == json(#"{"proposal_id":"p","vote_count":"5"}"#))
    #expect(message["android"] == json(#"{"priority":"NORMAL","ttl":"3600s","collapse_key":"c"}"#))
    #expect(message["apns"]?["payload"] == json(#"{"aps":{"content-available":1}}"#))
    #expect(message["apns"]?["headers"]?["apns-push-type"]?.stringValue == "background")
  }

  /// FCM keeps four keys for a phone that is off: the badge's, and those of the three counts of the last hour.
  @Test func aStateCollapsesBySubjectAndMakesRoomAfterAnHour() throws {
    let payloads = [#"{"aps":{"alert":"Hi"}}"#, #"{"aps":{}}"#, #"{"aps":{"content-available":1}}"#]
    let android = try (0..<60).map { number in
      try message(
        push(payloads[number % 3]) {
          $0.collapseID = "c\(number)"
          $0.badge = number % 3 == 2 ? nil : number
          $0.expiresAt = now + 4 * 3_600
        })["android"]
    }

    for (number, android) in android.enumerated() {
      #expect(android?["collapse_key"]?.stringValue == [nil, "badge", "c\(number)"][number % 3])
      #expect(android?["ttl"]?.stringValue == (number % 3 == 2 ? "3600s" : "14400s"))
    }
    #expect(DeliveryBatch.quietPushesAnHour + 1 <= 4)
  }

  @Test func aCollapseIDTooLongForAppleIsShortenedForAppleOnly() throws {
    let long = String(repeating: "x", count: 65)

    let message = try message(push(#"{"aps":{"alert":"Hi"}}"#) { $0.collapseID = long })

    #expect(message["android"]?["notification"]?["tag"]?.stringValue == long)
    #expect(message["apns"]?["headers"]?["apns-collapse-id"]?.stringValue?.utf8.count == 64)
  }

  @Test(arguments: ["x", "ä", "👩‍👩‍👧", "\"", "\u{1}"], [false, true])
  func aLongBodyIsShortenedBetweenTwoCharacters(character: String, hasSubtitle: Bool) throws {
    let text = RawJSON(String(repeating: character, count: 5_000))
    var alert = [("title", RawJSON("T")), ("body", text)]
    if hasSubtitle { alert.append(("subtitle", RawJSON("S"))) }
    let aps = RawJSON(object: [("alert", RawJSON(object: alert))])
    let payload = String(decoding: RawJSON(object: [("aps", aps)]).bytes, as: UTF8.self)

    let body = try #require(FCMMessage(push(payload), now: now)?.encoded())

    #expect(body.count <= 4_096 && body.count > 4_096 - 60)
    let shown = try RawJSON(validating: body[...])["message"]?["notification"]?["body"]?.stringValue
    let kept = try #require(shown).dropFirst(hasSubtitle ? 2 : 0)
    #expect(kept.last == "…" && kept.dropLast().allSatisfy { String($0) == character })
  }

  @Test func whatCannotFitIsNoMessage() throws {
    let payload = #"{"aps":{"alert":"Hi"},"k":"\#(String(repeating: "x", count: 4_000))"}"#

    #expect(try #require(FCMMessage(push(payload), now: now)).encoded() == nil)
  }

  @Test(arguments: ["imageUrl", "actor_avatar_url"]) func aPictureIsNamedWhereEachSystemLooksForIt(key: String) throws {
    let url = "https://example.com/ada.png?size=64"

    let message = try message(push(#"{"aps":{"alert":{"title":"T","body":"B"}},"\#(key)":"\#(url)"}"#))

    #expect(message["notification"]?["image"]?.stringValue == url)
    #expect(message["android"]?["notification"]?["image"]?.stringValue == url)
    #expect(message["apns"]?["fcm_options"] == json(#"{"image":"\#(url)"}"#))
    #expect(message["apns"]?["payload"]?["aps"]?["mutable-content"] == json("1"))
  }

  @Test(arguments: [
    #"{"aps":{},"imageUrl":"https://example.com/a.png"}"#, #"{"aps":{"alert":"Hi"},"imageUrl":"a.png"}"#,
    #"{"aps":{"alert":"\#(String(repeating: "x", count: 3_000))"},"imageUrl":"https://example.com/\#(String(repeating: "y", count: 300))"}"#,
  ])
  func aPictureThatCannotBeShownOrDoesNotFitIsLeftOut(payload: String) throws {
    let message = try message(push(payload))

    #expect(message["notification"]?["image"] == nil && message["apns"]?["fcm_options"] == nil)
    #expect(message["android"]?["notification"]?["image"] == nil)
    #expect(message["notification"]?["body"]?.stringValue?.contains("…") != true)
  }

  @Test(arguments: ["", "{}", "[]", #"{"aps":1}"#, #"{"aps":{}"#])
  func whatIsNoPayloadIsNoMessage(payload: String) {
    #expect(FCMMessage(push(payload), now: now) == nil)
  }

  private func push(_ payload: String, _ change: (inout QueuedPush) -> Void = { _ in }) -> QueuedPush {
    let device = QueuedPush.Device(id: UUID(), provider: .fcm, token: "reg:1", registeredAt: now)
    var push = QueuedPush(
      id: UUID(), device: device, payload: payload, badge: 3, collapseID: "c", expiresAt: now + 3_600)
    change(&push)
    return push
  }

  private func message(_ push: QueuedPush) throws -> RawJSON {
    let body = try #require(FCMMessage(push, now: now)?.encoded())
    return try #require(try RawJSON(validating: body[...])["message"])
  }

  private func json(_ text: String) -> RawJSON {
    RawJSON(trusting: Array(text.replacing(#/\n */#, with: "").utf8))
  }
}
