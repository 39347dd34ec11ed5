import FoundationEssentials
import Notifications
import Testing

struct FCMVerdictTests {
  static let registered = Date(timeIntervalSince1970: 1_700_000_000)

  /// Every row of FCM's table.
  static let table: [(status: Int, code: String, verdict: PushVerdict)] = [
    (400, "INVALID_ARGUMENT", .rejected),
    (404, "UNREGISTERED", .deviceGone(at: registered)),
    (403, "SENDER_ID_MISMATCH", .deviceNotForTopic),
    (401, "THIRD_PARTY_AUTH_ERROR", .holdApp),
    (401, "UNAUTHENTICATED", .renewToken),
    (429, "QUOTA_EXCEEDED", .backOff(atLeast: .seconds(60))),
    (503, "UNAVAILABLE", .backOff(atLeast: .seconds(10))),
    (500, "INTERNAL", .backOff(atLeast: .seconds(10))),
    (500, "UNSPECIFIED_ERROR", .backOff(atLeast: .seconds(60))),
  ]

  @Test(arguments: table) func judgesEveryKnownAnswer(row: (status: Int, code: String, verdict: PushVerdict)) {
    #expect(verdict(FCMAnswer(status: row.status, errorCode: row.code)) == row.verdict)
  }

  @Test func theTableHasEveryCode() {
    #expect(Set(Self.table.map(\.code)) == Set(FCMErrorCode.allCases.map(\.rawValue)))
  }

  @Test(arguments: [
    (FCMAnswer(status: 400, rpcStatus: "INVALID_ARGUMENT"), PushVerdict.rejected),
    (FCMAnswer(status: 400, rpcStatus: "INVALID_ARGUMENT", blamesToken: true), .rejected),
    (FCMAnswer(status: 400, errorCode: "INVALID_ARGUMENT"), .rejected),
    (FCMAnswer(status: 400, errorCode: "INVALID_ARGUMENT", blamesToken: true), .deviceGone(at: registered)),
  ])
  func anInvalidArgumentEndsADeviceOnlyWithFcmErrorAndWordsAboutTheToken(answer: FCMAnswer, expected: PushVerdict) {
    #expect(verdict(answer) == expected)
  }

  @Test(arguments: [
    (200, PushVerdict.accepted), (204, .accepted), (400, .rejected), (401, .renewToken), (403, .holdApp),
    (404, .holdApp), (408, .backOff(atLeast: .seconds(10))), (413, .payloadTooLarge), (418, .rejected),
    (429, .backOff(atLeast: .seconds(60))), (500, .backOff(atLeast: .seconds(10))),
    (502, .backOff(atLeast: .seconds(10))), (302, .backOff(atLeast: .seconds(10))),
  ])
  func judgesAnUnknownCodeByItsStatus(status: Int, expected: PushVerdict) {
    #expect(verdict(FCMAnswer(status: status, errorCode: "BRAND_NEW")) == expected)
    #expect(verdict(FCMAnswer(status: status)) == expected)
  }

  @Test(arguments: [(429, "QUOTA_EXCEEDED", 90, 90), (503, "UNAVAILABLE", 120, 120), (503, "UNAVAILABLE", 2, 10)])
  func honoursRetryAfterButIsNeverBackWithinTenSeconds(status: Int, code: String, asked: Int, waits: Int) {
    let answer = FCMAnswer(status: status, errorCode: code, retryAfter: .seconds(asked))

    #expect(verdict(answer) == .backOff(atLeast: .seconds(waits)))
  }

  @Test func anUnspecifiedErrorIsTriedOnceMoreOnly() {
    #expect(verdict(FCMAnswer(status: 500, errorCode: "UNSPECIFIED_ERROR"), earlierAttempts: 1) == .rejected)
  }

  @Test func backsOffLongerEachTimeAndSpread() {
    let waits = [0, 1, 2, 3].map { settle(.backOff(atLeast: .seconds(60)), attempts: $0, jitter: 0).notBefore }

    #expect(waits == [60.0, 120, 240, 480].map { Self.registered + $0 })
    #expect(settle(.backOff(atLeast: .seconds(60)), attempts: 0, jitter: 1).notBefore == Self.registered + 90)
    let state = settle(.backOff(atLeast: .seconds(7_200)), attempts: 9, jitter: 0)
    #expect(state.notBefore == Self.registered + 7_200 && state.log == .deferred && state.usesAttempt)
  }

  @Test func anExpiredBackOffEndsTheDelivery() {
    #expect(settle(.backOff(atLeast: .seconds(999_999)), attempts: 0, jitter: 0).state == .expired)
  }

  @Test(arguments: [(0, 10.0), (3, 10), (4, 16), (9, 60)])
  func withoutAnAnswerFCMIsLeftAloneForTenSeconds(attempts: Int, seconds: TimeInterval) {
    #expect(settle(.unknown, attempts: attempts, jitter: 0).notBefore == Self.registered + seconds)
  }

  private func device(_ provider: PushProvider = .fcm, _ token: String = "a") -> QueuedPush.Device {
    QueuedPush.Device(id: UUID(), provider: provider, token: token, registeredAt: Self.registered)
  }

  private func verdict(_ answer: FCMAnswer, earlierAttempts: Int = 0) -> PushVerdict {
    PushVerdict(answer, device(), earlierAttempts: earlierAttempts)
  }

  private func settle(_ verdict: PushVerdict, attempts: Int, jitter: Double) -> DeliverySettlement {
    let push = QueuedPush(
      id: UUID(), device: device(), payload: "{}", collapseID: "c", expiresAt: Self.registered + 86_400,
      attempts: attempts)
    let report = PushReport(verdict: verdict, provider: .fcm, environment: .production, topic: "p")
    return DeliverySettlement(push, report, now: Self.registered, jitter: jitter)
  }
}
