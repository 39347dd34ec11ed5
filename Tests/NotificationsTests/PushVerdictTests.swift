import FoundationEssentials
import Notifications
import Testing

struct PushVerdictTests {
  static let time = Date(timeIntervalSince1970: 1_800_000_000)

  /// Every answer of Apple's table.
  static let table: [(status: Int, reason: String?, verdict: PushVerdict)] = [
    (200, nil, .accepted),
    (400, "BadDeviceToken", .deviceSuspect),
    (400, "DeviceTokenNotForTopic", .deviceNotForTopic),
    (400, "BadCollapseId", .rejected),
    (400, "BadExpirationDate", .rejected),
    (400, "BadMessageId", .rejected),
    (400, "BadPriority", .rejected),
    (400, "InvalidPushType", .rejected),
    (400, "PayloadEmpty", .rejected),
    (400, "DuplicateHeaders", .rejected),
    (400, "MissingDeviceToken", .rejected),
    (400, "MissingPushType", .rejected),
    (400, "BadTopic", .holdApp),
    (400, "MissingTopic", .holdApp),
    (400, "TopicDisallowed", .holdApp),
    (400, "IdleTimeout", .retryAtOnce(otherwise: .retryLater(atLeast: nil))),
    (403, "ExpiredProviderToken", .renewToken),
    (403, "InvalidProviderToken", .holdCredential),
    (403, "MissingProviderToken", .holdCredential),
    (403, "Forbidden", .holdCredential),
    (403, "BadCertificate", .holdCredential),
    (403, "BadCertificateEnvironment", .holdCredential),
    (403, "UnrelatedKeyIdInToken", .retryAtOnce(otherwise: .holdCredential)),
    (403, "BadEnvironmentKeyIdInToken", .holdCredential),
    (403, "BadEnvironmentKeyInToken", .holdCredential),
    (404, "BadPath", .rejected),
    (405, "MethodNotAllowed", .rejected),
    (410, "Unregistered", .deviceGone(at: time)),
    (410, "ExpiredToken", .deviceGone(at: time)),
    (413, "PayloadTooLarge", .payloadTooLarge),
    (429, "TooManyRequests", .holdDevice(atLeast: nil)),
    (429, "TooManyProviderTokenUpdates", .holdTeam),
    (500, "InternalServerError", .retryLater(atLeast: nil)),
    (503, "ServiceUnavailable", .retryLater(atLeast: nil)),
    (503, "Shutdown", .retryAtOnce(otherwise: .retryLater(atLeast: nil))),
  ]

  @Test(arguments: table) func judgesEveryKnownAnswer(row: (status: Int, reason: String?, verdict: PushVerdict)) {
    let answer = PushAnswer(status: row.status, reason: row.reason, timestamp: row.status == 410 ? Self.time : nil)

    #expect(PushVerdict(answer) == row.verdict)
  }

  @Test func theTableHasEveryReason() {
    #expect(Set(Self.table.compactMap(\.reason)) == Set(APNsReason.allCases.map(\.rawValue)))
  }

  @Test(arguments: [
    (201, PushVerdict.accepted), (401, .holdCredential), (403, .holdCredential), (400, .rejected), (404, .rejected),
    (410, .deviceGone(at: nil)), (413, .payloadTooLarge), (418, .rejected), (429, .holdDevice(atLeast: nil)),
    (500, .retryLater(atLeast: nil)), (502, .retryLater(atLeast: nil)), (302, .retryLater(atLeast: nil)),
  ])
  func judgesAnUnknownReasonByItsStatus(status: Int, verdict: PushVerdict) {
    #expect(PushVerdict(PushAnswer(status: status, reason: "BrandNewReason")) == verdict)
    #expect(PushVerdict(PushAnswer(status: status)) == verdict)
  }

  @Test func honoursRetryAfterWhereItComes() {
    #expect(
      PushVerdict(PushAnswer(status: 503, retryAfter: .seconds(3_600))) == .retryLater(atLeast: .seconds(3_600)))
    #expect(
      PushVerdict(PushAnswer(status: 429, reason: "TooManyRequests", retryAfter: .seconds(90)))
        == .holdDevice(atLeast: .seconds(90)))
  }

  @Test func tellsTheKindsOfSilenceApart() {
    #expect(PushVerdict(.unknown) == .unknown)
    #expect(PushVerdict(.refused) == .retryAtOnce(otherwise: .notSent(pause: nil)))
    #expect(PushVerdict(.unsent) == .notSent(pause: nil))
  }

  @Test func aConnectionIsProvenByEveryAnswerThatSpeaksOfThePushAlone() {
    let unproven = Self.table.filter { !PushVerdict(PushAnswer(status: $0.status, reason: $0.reason)).provesConnection }

    #expect(
      Set(unproven.compactMap(\.reason)) == [
        "BadTopic", "MissingTopic", "TopicDisallowed", "IdleTimeout", "ExpiredProviderToken", "InvalidProviderToken",
        "MissingProviderToken", "Forbidden", "BadCertificate", "BadCertificateEnvironment", "UnrelatedKeyIdInToken",
        "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken", "TooManyProviderTokenUpdates", "Shutdown",
      ])
  }

  @Test func aSecondFailureOfTheSameKindIsFinal() {
    #expect(PushVerdict.retryAtOnce(otherwise: .holdApp).final == .holdApp)
    #expect(PushVerdict.renewToken.final == .holdTeam)
    #expect(PushVerdict.unknown.final == .unknown)
  }
}
