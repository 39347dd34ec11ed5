import FoundationEssentials
import HTTP2
import Notifications
import Testing

@testable import PushLive

struct FCMAnswerTests {
  let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func readsTheErrorCodeOfFCMAndNotTheGeneralStatus() {
    let answer = read(
      404,
      #"{"error":{"code":404,"status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/x"},"#
        + #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}"#)

    #expect(answer == FCMAnswer(status: 404, errorCode: "UNREGISTERED", rpcStatus: "NOT_FOUND"))
    #expect(answer.reason == "UNREGISTERED")
  }

  static let aboutTheToken = "The registration token is not a valid FCM registration token"

  @Test(arguments: [
    (#"[{"field":"message.token"}]"#, true), (#"[{"field":"message.data"}]"#, false), ("[]", false),
    (#"[{"field":"message.token"},{"field":"message.android.ttl"}]"#, false), ("null", false),
    (#"[{"description":"x"}]"#, false), (#"[{"field":"message.token"},{"field":"message.token"}]"#, true),
  ])
  func knowsByTheFieldsWhetherTheTokenIsToBlame(violations: String, isToken: Bool) {
    for text in ["Request contains an invalid argument.", Self.aboutTheToken] {
      let answer = read(
        400,
        #"{"error":{"status":"INVALID_ARGUMENT","message":"\#(text)","details":["#
          + #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":\#(violations)}]}}"#)

      let hasFields = violations.hasPrefix("[{")
      #expect(answer.blamesToken == (hasFields ? isToken : text == Self.aboutTheToken))
      #expect(answer.errorCode == nil && answer.reason == "INVALID_ARGUMENT")
    }
  }

  @Test(arguments: [
    (aboutTheToken, true), ("\(aboutTheToken).", true), ("Invalid registration token", true),
    ("Request contains an invalid argument.", false), ("Android message is too big", false),
    ("Message is too big", false), ("Recipient of the message is not set.", false), ("", false),
    ("Exactly one of registration_token, topic or condition is required", false),
    ("Invalid value at 'message.android.ttl'", false),
  ])
  func knowsByTheTextWhereNoFieldIsNamed(text: String, isToken: Bool) {
    let answer = read(
      400,
      #"{"error":{"status":"INVALID_ARGUMENT","message":"\#(text)","details":["#
        + #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}]}}"#)

    #expect(
      answer
        == FCMAnswer(
          status: 400, errorCode: "INVALID_ARGUMENT", rpcStatus: "INVALID_ARGUMENT", blamesToken: isToken))
  }

  @Test(arguments: ["", "<html>", "[]", #"{"error":5}"#, #"{"error":{"details":[5,{"@type":7}]}}"#])
  func anAnswerThatIsNotFCMsIsKnownByItsStatus(body: String) {
    #expect(read(502, body) == FCMAnswer(status: 502))
  }

  @Test(
    arguments: [
      ("90", 90), ("0", nil), ("-5", nil), ("soon", nil), ("999999999", 86_400),
      ("Fri, 15 Jan 2027 08:01:00 GMT", 60), ("Fri, 15 Jan 2027 07:00:00 GMT", nil),
    ] as [(String, Int?)])
  func readsRetryAfterInSecondsAndAsATime(text: String, seconds: Int?) {
    let response = HTTP2Response(status: 503, headers: [HTTP2Header("retry-after", text)])

    #expect(FCMAnswer(response, now: now).retryAfter == seconds.map { .seconds($0) })
  }

  @Test func readsTheMessagesId() {
    let long = String(repeating: "9", count: 300)

    #expect(HTTP2Response(status: 200, body: Array(#"{"name":"projects/p/messages/0:1%2"}"#.utf8)).messageID == "0:1%2")
    #expect(HTTP2Response(status: 200, body: Array(#"{"name":"\#(long)"}"#.utf8)).messageID?.count == 100)
    #expect(HTTP2Response(status: 200, body: []).messageID == nil)
  }

  private func read(_ status: Int, _ body: String) -> FCMAnswer {
    FCMAnswer(HTTP2Response(status: status, body: Array(body.utf8)), now: now)
  }
}
