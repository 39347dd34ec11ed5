import FoundationEssentials
import Notifications
import Testing

struct ProviderTokenTests {
  let start = Date(timeIntervalSince1970: 1_800_000_000)

  @Test(arguments: [0, 60, 2_040, 2_999, -60, -1_200] as [Double])
  func isUsedForFiftyMinutes(age: Double) {
    #expect(token.isUsable(at: start + age))
  }

  @Test(arguments: [3_000, 3_300, 86_400, -1_201, -86_400] as [Double])
  func isReplacedBeforeAPNsCallsItExpiredAndWhenItIsDatedFarInTheFuture(age: Double) {
    #expect(!token.isUsable(at: start + age))
    #expect(token.mayBeFollowed(at: start + age))
  }

  @Test func isNotFollowedWithinTwentyMinutes() {
    #expect(!token.mayBeFollowed(at: start))
    #expect(!token.mayBeFollowed(at: start + 1_199.9))
    #expect(!token.mayBeFollowed(at: start - 600))
    #expect(token.mayBeFollowed(at: start + 1_200))
  }

  @Test func doesNotShowItself() {
    #expect("\(token) \(String(reflecting: token))".contains("secret") == false)
    var dumped = ""
    dump(token, to: &dumped)
    #expect(!dumped.contains("secret"))
  }

  private var token: ProviderToken { ProviderToken(bearer: "secret", issuedAt: start) }
}
