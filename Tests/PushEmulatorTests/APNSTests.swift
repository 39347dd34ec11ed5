import FoundationEssentials
import Testing

@testable import PushEmulator

struct APNSTests {
  @Test func acceptsAWellFormedAlert() {
    #expect(answer(to: Samples.request()) == .accepted)
  }

  @Test func echoesTheSendersIDAndMakesOneWhereItIsMissing() {
    var apns = SampleAPNS()

    #expect(apns.judge(Samples.request()).id == "123e4567-e89b-12d3-a456-4266554400a0")
    let made = apns.judge(Samples.request(["apns-id": nil])).id
    #expect(PushRules.isCanonicalUUID(made))
  }

  @Test(
    arguments: [
      ("apns-id", "123E4567-E89B-12D3-A456-4266554400A0", Reason.badMessageID),
      ("apns-id", "123e4567e89b12d3a4564266554400a0", .badMessageID),
      ("apns-id", "", .badMessageID),
      ("apns-expiration", "tomorrow", .badExpirationDate),
      ("apns-expiration", "-1", .badExpirationDate),
      ("apns-expiration", "1.5", .badExpirationDate),
      ("apns-collapse-id", String(repeating: "c", count: 65), .badCollapseID),
      ("apns-collapse-id", String(repeating: "ä", count: 33), .badCollapseID),
      ("apns-push-type", "silent", .invalidPushType),
      ("apns-push-type", "Alert", .invalidPushType),
      ("apns-priority", "7", .badPriority),
      ("apns-priority", "010", .badPriority),
      ("apns-topic", nil, .missingTopic),
      ("apns-topic", "", .missingTopic),
      ("apns-topic", "com.example app", .badTopic),
      ("apns-topic", "com.example.app.voip", .topicDisallowed),
      ("authorization", nil, .missingProviderToken),
    ] as [(String, String?, Reason)])
  func refusesAHeaderField(name: String, value: String?, reason: Reason) {
    #expect(answer(to: Samples.request([name: value])) == .refused(reason))
  }

  @Test(arguments: [
    ("GET", "/3/device/\(Samples.token)", Reason.methodNotAllowed),
    ("POST", "/3/device/", .missingDeviceToken),
    ("POST", "/3/devices/\(Samples.token)", .badPath),
    ("POST", "/3/device/\(Samples.token)/x", .badPath),
    ("POST", "/3/device/xyz", .badDeviceToken),
    ("POST", "/3/device/\(String(repeating: "a", count: 65))", .badDeviceToken),
    ("POST", "/3/device/\(String(repeating: "g", count: 64))", .badDeviceToken),
  ])
  func refusesARoute(method: String, path: String, reason: Reason) {
    #expect(answer(to: Samples.request(method: method, path: path)) == .refused(reason))
  }

  @Test func takesADeviceTokenInUpperCaseForTheSameDevice() {
    var apns = SampleAPNS()
    let request = Samples.request(path: "/3/device/\(Samples.token.uppercased())")

    #expect(apns.judge(request).token == Samples.token)
  }

  @Test func refusesAFieldThatIsThereTwice() {
    var request = Samples.request()
    request.headers.add("apns-topic", Samples.topic)

    #expect(answer(to: request) == .refused(.duplicateHeaders))
  }

  @Test(
    arguments: [
      ("10", .refused(.badPriority)), ("1", .refused(.badPriority)), (nil, .refused(.badPriority)), ("5", .accepted),
    ] as [(String?, Answer)])
  func aBackgroundPushHasPriorityFive(priority: String?, expected: Answer) {
    let changes = ["apns-push-type": "background", "apns-priority": priority]

    #expect(answer(to: Samples.request(changes, body: #"{"aps":{"content-available":1}}"#)) == expected)
  }

  @Test(arguments: PushType.allCases)
  func everyTypeHasItsTopic(type: PushType) {
    let changes = ["apns-push-type": type.rawValue, "apns-priority": "5"]

    let right = Samples.request(changes.merging(["apns-topic": Samples.topic + type.topicSuffix]) { $1 })
    let wrong = Samples.request(changes.merging(["apns-topic": Samples.topic + ".elsewhere.voip-ptt.x"]) { $1 })

    #expect(answer(to: right) == .accepted)
    #expect(answer(to: wrong) == (type.topicSuffix.isEmpty ? .accepted : .refused(.topicDisallowed)))
  }

  @Test func theTypeMayBeMissingButNotOnAWatch() {
    #expect(answer(to: Samples.request(["apns-push-type": nil])) == .accepted)
    let watch = Samples.request(["apns-push-type": nil, "apns-topic": "com.example.app.watchkitapp"])
    #expect(answer(to: watch) == .refused(.missingPushType))
  }

  @Test func aKeyForCertainBundlesPushesToNoOther() {
    let rules = PushRules(bundleIDs: ["com.example.other"])

    #expect(answer(to: Samples.request(), rules: rules) == .refused(.topicDisallowed))
  }

  @Test(arguments: [
    ("", Reason.payloadEmpty), ("[]", .payloadEmpty), ("{\"aps\":", .payloadEmpty),
    (#"{"a":"\#(String(repeating: "x", count: 4_089))"}"#, .payloadTooLarge),
  ])
  func refusesAPayload(body: String, reason: Reason) {
    #expect(answer(to: Samples.request(body: body)) == .refused(reason))
  }

  @Test func aPayloadOfExactlyTheLimitIsAccepted() {
    let body = #"{"a":"\#(String(repeating: "x", count: 4_088))"}"#

    #expect(body.utf8.count == 4_096)
    #expect(answer(to: Samples.request(body: body)) == .accepted)
  }

  @Test func refusalsCarryAppleStatusAndBody() {
    #expect(Reason.allCases.allSatisfy { [400, 403, 404, 405, 410, 413, 429].contains($0.status) })
    #expect(text(.refused(.payloadTooLarge)) == #"{"reason":"PayloadTooLarge"}"#)
    #expect(Answer.refused(.payloadTooLarge).status == 413)
    #expect(text(.refused(.unregistered, timestamp: 7)) == #"{"reason":"Unregistered","timestamp":7}"#)
    #expect(text(.accepted).isEmpty)
  }

  private func text(_ answer: Answer) -> String { String(decoding: answer.body, as: UTF8.self) }
}

func answer(to request: PushRequest, rules: PushRules = PushRules(), now: Date = Samples.now) -> Answer {
  var apns = SampleAPNS(rules: rules)
  return apns.answer(to: request, now: now)
}
