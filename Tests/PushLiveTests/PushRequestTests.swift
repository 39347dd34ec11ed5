import FoundationEssentials
import HTTP2
import Notifications
import Testing

@testable import PushLive

struct PushRequestTests {
  @Test func carriesAPNsHeaderFields() throws {
    let request = try #require(makeRequest(push()))

    #expect(request.method == "POST" && request.path == "/3/device/ab12" && request.authority == "example.com")
    #expect(
      Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) }) == [
        "authorization": "bearer t", "apns-topic": "com.example.app", "apns-push-type": "alert", "apns-priority": "5",
        "apns-id": "some-id", "apns-expiration": "1800000000", "apns-collapse-id": "c",
        "content-type": "application/json",
      ])
    #expect(request.body == Array("{}".utf8))
  }

  @Test func keepsSecretsAndPassingValuesOutOfTheHeaderTable() throws {
    let request = try #require(makeRequest(push()))

    let names = Dictionary(grouping: request.headers, by: \.indexing).mapValues { Set($0.map(\.name)) }

    #expect(names[.never] == ["authorization"])
    #expect(names[.nameOnly] == ["apns-id", "apns-expiration", "apns-collapse-id"])
  }

  @Test func shortensALongCollapseIDToTheSameTextEachTime() throws {
    let long = push { $0.collapseID = String(repeating: "ä", count: 33) }

    let first = try #require(makeRequest(long)).headers["apns-collapse-id"]

    #expect(first?.utf8.count == 64)
    #expect(try #require(makeRequest(long)).headers["apns-collapse-id"] == first)
    let exact = push { $0.collapseID = String(repeating: "ä", count: 32) }
    #expect(try #require(makeRequest(exact)).headers["apns-collapse-id"] == exact.collapseID)
  }

  @Test func aBackgroundPushHasPriorityFiveAndNoBadge() throws {
    let request = try #require(
      makeRequest(
        push {
          ($0.pushType, $0.priority, $0.badge) = ("background", 10, 3)
          $0.payload = #"{"aps":{"content-available":1},"type":"sync"}"#
        }))

    #expect(request.headers["apns-push-type"] == "background" && request.headers["apns-priority"] == "5")
    #expect(String(decoding: request.body, as: UTF8.self) == #"{"aps":{"content-available":1},"type":"sync"}"#)
  }

  @Test(arguments: [(1, "5"), (5, "5"), (10, "10")])
  func aLiveActivityHasItsTopicAndNothingThatReplaces(asked: Int, sent: String) throws {
    let payload = #"{"aps":{"content-state":{},"event":"update","timestamp":1}}"#
    let request = try #require(
      makeRequest(push { ($0.pushType, $0.priority, $0.badge, $0.payload) = ("liveactivity", asked, 3, payload) }))

    #expect(request.headers["apns-topic"] == "com.example.app.push-type.liveactivity")
    #expect(request.headers["apns-push-type"] == "liveactivity" && request.headers["apns-priority"] == sent)
    #expect(request.headers["apns-collapse-id"] == nil)
    #expect(String(decoding: request.body, as: UTF8.self) == payload)
  }

  @Test func aBadgeAloneIsAnAlertOfLowPriority() throws {
    let request = try #require(
      makeRequest(
        push { ($0.payload, $0.badge, $0.priority, $0.collapseID) = (#"{"aps":{}}"#, 0, 5, "badge") }))

    #expect(request.headers["apns-push-type"] == "alert" && request.headers["apns-priority"] == "5")
    #expect(request.headers["apns-collapse-id"] == "badge")
    #expect(String(decoding: request.body, as: UTF8.self) == #"{"aps":{"badge":0}}"#)
  }

  @Test(arguments: [
    ("alert", ""), ("background", ""), ("complication", ".complication"), ("controls", ".push-type.controls"),
    ("fileprovider", ".pushkit.fileprovider"), ("liveactivity", ".push-type.liveactivity"),
    ("location", ".location-query"), ("mdm", ""), ("pushtotalk", ".voip-ptt"), ("voip", ".voip"),
    ("widgets", ".push-type.widgets"), ("brandnew", ""),
  ])
  func theTopicFollowsThePushType(type: String, suffix: String) throws {
    let request = try #require(makeRequest(push { $0.pushType = type }))

    #expect(request.headers["apns-topic"] == "com.example.app\(suffix)")
    #expect(PushType.allCases.count == 11)
  }

  @Test(
    arguments: [(0, "0"), (-5, "0"), (1_800_000_000, "1800000000"), (.infinity, "4294967295")] as [(Double, String)])
  func theExpirationIsInSecondsAndZeroIsSent(time: Double, field: String) throws {
    let request = try #require(makeRequest(push { $0.expiresAt = Date(timeIntervalSince1970: time) }))

    #expect(request.headers["apns-expiration"] == field)
  }

  @Test func isNoneForAPayloadOverTheLimit() {
    let push = push { $0.payload = String(repeating: " ", count: 4_097) }

    #expect(makeRequest(push) == nil)
  }

  @Test func readsReasonAndTimeOfAnAnswer() {
    let body = Array(#"{"reason":"Unregistered","timestamp":1800000000123}"#.utf8)

    let answer = PushAnswer(HTTP2Response(status: 410, headers: [HTTP2Header("retry-after", "30")], body: body))

    #expect(answer.status == 410 && answer.reason == "Unregistered" && answer.retryAfter == .seconds(30))
    #expect(abs((answer.timestamp ?? .distantPast).timeIntervalSince1970 - 1_800_000_000.123) < 0.000_1)
  }

  @Test(arguments: ["", "<html>Bad gateway</html>", "[]", #"{"reason":5,"timestamp":"soon"}"#, "{"])
  func anAnswerThatIsNotAPNsIsKnownByItsStatus(body: String) {
    let headers = [HTTP2Header("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")]

    let answer = PushAnswer(HTTP2Response(status: 502, headers: headers, body: Array(body.utf8)))

    #expect(answer == PushAnswer(status: 502))
  }

  @Test(arguments: [
    (StreamFailure.timedOut, PushSilence.unknown), (.connectionLost, .unknown), (.reset(code: 8), .unknown),
    (.responseTooLarge(status: 0), .unknown), (.refused, .refused), (.notSent, .unsent), (.timedOutWaiting, .unsent),
  ])
  func knowsWhatMayHaveBeenProcessed(failure: StreamFailure, silence: PushSilence) {
    #expect(PushSilence(failure) == silence)
  }

  private func push(_ change: (inout QueuedPush) -> Void = { _ in }) -> QueuedPush {
    var push = QueuedPush(
      id: UUID(), device: QueuedPush.Device(id: UUID(), token: "ab12", registeredAt: .now), payload: "{}",
      priority: 5, collapseID: "c", expiresAt: Date(timeIntervalSince1970: 1_800_000_000.9))
    change(&push)
    return push
  }

  private func makeRequest(_ push: QueuedPush) -> HTTP2Request? {
    HTTP2Request(push, apnsID: "some-id", topic: "com.example.app", authority: "example.com", authorization: "bearer t")
  }
}
