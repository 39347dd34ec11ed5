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
    (.responseTooLarge, .unknown), (.refused, .refused), (.notSent, .unsent), (.timedOutWaiting, .unsent),
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
