import FoundationEssentials
import Testing

@testable import PushEmulator

struct ProviderTokenTests {
  @Test(arguments: [
    SampleKey.authorization(scheme: "basic"),
    SampleKey.authorization(header: #"{"alg":"HS256","kid":"LOCALKEY01"}"#),
    SampleKey.authorization(header: #"{"alg":"ES256","kid":"OTHERKEY01"}"#),
    SampleKey.authorization(header: #"{"alg":"ES256"}"#),
    SampleKey.authorization(iss: "OTHERTEAM1"),
    SampleKey.authorization(iat: #""1800000000""#),
    SampleKey.authorization(iat: "1800000000.5"),
    SampleKey.authorization(iat: "1800003601"),
    SampleKey.authorization(alter: { $0[0] ^= 1 }),
    SampleKey.authorization(alter: { $0.removeLast() }),
    SampleKey.authorization() + "==",
    "bearer", "bearer a.b.c", "bearer ", "",
  ])
  func refusesATokenThatIsNotInOrder(authorization: String) {
    #expect(answer(to: Samples.request(["authorization": authorization])) == .refused(.invalidProviderToken))
  }

  @Test func takesTheSchemeInAnyCase() {
    let authorization = SampleKey.authorization(scheme: "Bearer")

    #expect(answer(to: Samples.request(["authorization": authorization])) == .accepted)
  }

  @Test(arguments: [(3_600.0, Answer.accepted), (3_601, .refused(.expiredProviderToken)), (-3_600, .accepted)])
  func aTokenLivesOneHour(age: Double, expected: Answer) {
    #expect(answer(to: Samples.request(), now: Samples.now.addingTimeInterval(age)) == expected)
  }

  @Test func aTokenThatIsKnownStillExpires() {
    var apns = SampleAPNS()

    #expect(apns.answer(to: Samples.request()) == .accepted)
    let later = apns.judge(Samples.request(), now: Samples.now.addingTimeInterval(3_601))
    #expect(later.effect.answer == .refused(.expiredProviderToken))
    #expect(later.provider == nil)
  }
}
