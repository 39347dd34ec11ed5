import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import Postgres
import PushLive
import TestSupport
import Testing

@testable import PushDelivery

/// Answers that no provider should give: each is its delivery's own problem.
@Suite(.heavy)
struct HostileAnswerTests {
  /// An answer, and what becomes of its delivery.
  struct Answer: Sendable, CustomStringConvertible {
    let status: Int
    let body: String
    let state: String

    init(_ status: Int, _ body: String, _ state: String) {
      (self.status, self.body, self.state) = (status, body, state)
    }

    var description: String { "\(status) \(body.prefix(60))" }
  }

  static let apns = [
    Answer(410, #"{"reason":"Unregistered","timestamp":-1}"#, "rejected"),
    Answer(410, #"{"reason":"Unregistered","timestamp":-62135596800001}"#, "rejected"),
    Answer(410, #"{"reason":"Unregistered","timestamp":9223372036854775807}"#, "rejected"),
    Answer(410, #"{"reason":"Unregistered","timestamp":-9223372036854775808}"#, "rejected"),
    Answer(410, #"{"reason":"Unregistered","timestamp":99999999999999999999999}"#, "rejected"),
    Answer(410, #"{"reason":"Unregistered","timestamp":1e300}"#, "rejected"),
    Answer(410, #"{"reason":"Unregistered","timestamp":4102444800000}"#, "rejected"),
    Answer(410, #"{"reason":"Unregistered","timestamp":"soon"}"#, "rejected"),
    Answer(410, #"{"reason":"Unregistered","timestamp":null}"#, "rejected"),
    Answer(410, #"{"reason":"Unreg\u0000istered","timestamp":1}"#, "rejected"),
    Answer(400, #"{"reason":"\u0000"}"#, "rejected"),
    Answer(400, #"{"reason":"Bad\u001b[31mTopic\r\n"}"#, "rejected"),
    Answer(400, #"{"reason":"\#(String(repeating: "x", count: 60_000))"}"#, "rejected"),
    Answer(400, String(repeating: "x", count: 2 << 20), "rejected"),
    Answer(200, String(repeating: "x", count: 2 << 20), "accepted"),
    Answer(400, #"{"reason":{"reason":"BadDeviceToken"}}"#, "rejected"),
    Answer(400, #"["reason"]"#, "rejected"),
    Answer(400, "{", "rejected"),
    Answer(400, String(repeating: "[", count: 50_000), "rejected"),
    Answer(299, "", "accepted"),
    Answer(999, "", "queued"),
  ]

  @Test(arguments: apns) func anAnswerOfAPNsHarmsNoOtherDelivery(answer: Answer) async throws {
    let fixture = try await DeliveryFixture()
    let fake = try await APNsFake { push, responder in
      if push.token == "odd" {
        responder.respond(HTTP2Response(status: answer.status, body: Array(answer.body.utf8)))
      } else {
        responder.answer(200)
      }
    }
    try await fixture.enqueue(["one", "odd", "two"])

    try await fixture.deliver(try fake.client())

    #expect(try await fixture.delivery("odd").state == answer.state)
    #expect(try await fixture.device("odd", "is_active") == "true")
    for token in ["one", "two"] { #expect(try await fixture.delivery(token).state == "accepted") }
  }

  static let fcm = [
    Answer(200, #"{"name":"projects/x/messages/\u0000"}"#, "accepted"),
    Answer(200, #"{"name":"projects/x/messages/\#(String(repeating: "e\u{301}\u{302}", count: 90))"}"#, "accepted"),
    Answer(200, #"{"name":7}"#, "accepted"),
    Answer(200, "", "accepted"),
    Answer(400, #"{"error":{"status":"INVALID\u0000ARGUMENT"}}"#, "rejected"),
    Answer(400, #"{"error":{"status":"INVALID_ARGUMENT","details":{"@type":"x"}}}"#, "rejected"),
    Answer(400, #"{"error":[]}"#, "rejected"),
    Answer(
      400, #"{"error":{"details":[{"@type":"/google.firebase.fcm.v1.FcmError","errorCode":"\u0000"}]}}"#, "rejected"),
    Answer(413, String(repeating: "x", count: 2 << 20), "rejected"),
  ]

  @Test(arguments: fcm) func anAnswerOfFCMHarmsNoOtherDelivery(answer: Answer) async throws {
    let fixture = try await DeliveryFixture()
    let fake = try await FCMFake { message, responder in
      if message.token == "odd" {
        responder.respond(HTTP2Response(status: answer.status, body: Array(answer.body.utf8)))
      } else {
        responder.accept(message)
      }
    }
    try await fixture.enqueue(["one", "odd", "two"], provider: "fcm")

    try await fixture.deliver(.routed(apns: nil, fcm: try fake.client()))

    #expect(try await fixture.delivery("odd").state == answer.state)
    #expect(try await fixture.device("odd", "is_active") == "true")
    for token in ["one", "two"] { #expect(try await fixture.delivery(token).state == "accepted") }
  }

  @Test(arguments: [
    #"{"access_token":"a\r\nx-goog-user-project: b","expires_in":3600}"#, #"{"access_token":"a b"}"#,
    #"{"access_token":""}"#, #"{"access_token":"\u0000"}"#, #"{"access_token":["a"]}"#, "{", "[]", "null",
    #"{"access_token":"\#(String(repeating: "a", count: 20_000))"}"#, #"{"error":"\u0000\r\n"}"#,
  ])
  func withoutATokenThatIsOneMessagesWait(grant: String) async throws {
    let fixture = try await DeliveryFixture()
    let fake = try await FCMFake(grants: { _ in HTTP2Response(status: 200, body: Array(grant.utf8)) }) { $1.accept($0) }
    try await fixture.enqueue(["one", "two"], provider: "fcm")

    let summary = try await fixture.deliver(.routed(apns: nil, fcm: try fake.client()))

    #expect(summary.retried == 2 && fake.messages.isEmpty)
    #expect(try await fixture.states() == ["queued": 2])
    #expect(try await fixture.delivery("one").attempts == 0)
  }

  @Test(arguments: ["-1", "0", "1e300", "99999999999999999999", "\"x\"", "9223372036854775807"])
  func aTokenWithAnOddLifeIsUsed(life: String) async throws {
    let fixture = try await DeliveryFixture()
    let fake = try await FCMFake(
      grants: { _ in HTTP2Response(status: 200, body: Array(#"{"access_token":"a","expires_in":\#(life)}"#.utf8)) }
    ) { $1.accept($0) }
    try await fixture.enqueue(["one"], provider: "fcm")

    try await fixture.deliver(.routed(apns: nil, fcm: try fake.client()))

    #expect(try await fixture.states() == ["accepted": 1])
  }

  @Test func whatAConnectionSaysAtItsEndHarmsNothing() async throws {
    let fixture = try await DeliveryFixture()
    let fake = try await APNsFake { _, responder in
      responder.goAway(
        lastStreamID: 0, debugData: Array(#"{"reason":"\u0000\#(String(repeating: "y", count: 5_000))"}"#.utf8))
      responder.dropConnection()
    }
    try await fixture.enqueue(["one", "two"])

    let summary = try await fixture.deliver(try fake.client())

    #expect(summary.accepted == 0 && summary.rejected == 0)
    #expect(try await fixture.states() == ["queued": 2])
  }
}
