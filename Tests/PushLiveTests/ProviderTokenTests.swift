import FoundationEssentials
import Synchronization
import Testing

@testable import PushLive

struct ProviderTokenTests {
  let start = Date(timeIntervalSince1970: 1_800_000_000.7)

  @Test func isABearerTokenDatedInWholeSeconds() throws {
    var token = ProviderToken { "token-\($0)" }

    let authorization = try token.authorization(at: start)

    #expect(authorization == "bearer token-1800000000")
  }

  @Test(arguments: [0, 60, 2_040, 2_994, -60] as [Double])
  func isKeptForThirtyFiveMinutesAndMore(age: Double) throws {
    let made = Counter()
    var token = made.token()

    let first = try token.authorization(at: start)
    let second = try token.authorization(at: start + age)

    #expect(first == second && made.count == 1)
  }

  @Test(arguments: [3_000, 3_300, 86_400, -1_260] as [Double])
  func isMadeAnewBeforeAPNsCallsItExpired(age: Double) throws {
    let made = Counter()
    var token = made.token()

    let first = try token.authorization(at: start)
    let second = try token.authorization(at: start + age)

    #expect(first != second && made.count == 2)
  }

  @Test func isNotRenewedWithinTwentyMinutes() throws {
    let made = Counter()
    var token = made.token()
    let first = try token.authorization(at: start)

    let early = token.renew(at: start + 19.9 * 60)
    let kept = try token.authorization(at: start + 19.9 * 60)
    let inTime = token.renew(at: start + 20 * 60)
    let renewed = try token.authorization(at: start + 20 * 60)

    #expect(!early && kept == first)
    #expect(inTime && renewed != first)
    #expect(made.count == 2)
  }

  @Test func isRenewedOnceHoweverManyPushesFoundItExpired() throws {
    let made = Counter()
    var token = made.token()
    _ = try token.authorization(at: start)
    let later = start + 30 * 60

    let renewals = (0..<100).map { _ in token.renew(at: later) }
    for _ in 0..<100 { _ = try token.authorization(at: later) }

    #expect(renewals.allSatisfy(\.self) && made.count == 2)
  }

  @Test func passesOnThatItCannotBeSigned() {
    struct NoKey: Error {}
    var token = ProviderToken { _ in throw NoKey() }

    let result = Result { try token.authorization(at: start) }

    #expect(throws: NoKey.self) { try result.get() }
  }
}

/// Counts signatures, and makes each differ from the last.
private final class Counter: Sendable {
  private let signatures = Mutex(0)

  var count: Int { signatures.withLock(\.self) }

  func token() -> ProviderToken {
    ProviderToken { [self] issuedAt in
      signatures.withLock {
        $0 += 1
        return "\(issuedAt)-\($0)"
      }
    }
  }
}
