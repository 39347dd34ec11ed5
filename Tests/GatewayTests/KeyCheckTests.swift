import HTTP1
import TestSupport
import Testing

@testable import FunctionKit
@testable import Gateway
@testable import System

@RunnerLoop
struct KeyCheckTests {
  private static let key = "0123456789abcdef"
  private let here = ClientAddress(IPAddress("192.0.2.1"))
  private let there = ClientAddress(IPAddress("192.0.2.2"))

  private final class Time: @unchecked Sendable {
    var now = ContinuousClock.now
  }

  private func keys(_ time: Time = Time()) throws -> KeyCheck {
    KeyCheck(
      try RunnerKey(Environment(["RUNNER_KEY": Self.key])), failed: FailedTokens(.keys) { time.now })
  }

  private func refusal(_ keys: KeyCheck, _ shown: String..., from client: ClientAddress) -> KeyRefusal? {
    do { try keys.check(shown, from: client) } catch { return error }
    return nil
  }

  @Test func afterFiveWrongOnesTheRightOneWaitsAsLong() throws {
    let time = Time()
    let keys = try keys(time)
    for number in 0..<5 { #expect(refusal(keys, "wrong \(number)", from: here) == .missingOrWrong) }

    #expect(refusal(keys, "wrong", from: here) == .tooMany(seconds: 2))
    #expect(refusal(keys, Self.key, from: here) == .tooMany(seconds: 2))
    #expect(refusal(keys, "wrong", Self.key, from: here) == .tooMany(seconds: 2))
    #expect(refusal(keys, from: here) == .missingOrWrong)
    time.now += .seconds(2)
    #expect(refusal(keys, Self.key, from: here) == nil)
  }

  @Test func onlyTheAddressFromWhichItWasAcceptedGoesOn() throws {
    let keys = try keys()
    #expect(refusal(keys, Self.key, from: here) == nil)
    for client in [here, there] {
      for number in 0..<6 { _ = refusal(keys, "wrong \(number) \(client)", from: client) }
    }

    #expect(refusal(keys, Self.key, from: here) == nil)
    #expect(refusal(keys, "somebody's", Self.key, from: here) == nil)
    #expect(refusal(keys, "another", from: here) == .tooMany(seconds: 2))
    #expect(refusal(keys, Self.key, from: there) == .tooMany(seconds: 2))
  }

  @Test func theSameWrongOneIsNoFurtherGuess() throws {
    let keys = try keys()
    for _ in 0..<100 { #expect(refusal(keys, "the key before the rotation", from: here) == .missingOrWrong) }

    #expect(refusal(keys, Self.key, from: here) == nil)
  }

  @Test func withoutAKeyNobodyIsAsked() {
    let keys = KeyCheck(nil, failed: FailedTokens(.keys))
    for number in 0..<100 { #expect(refusal(keys, "\(number)", from: here) == nil) }
  }
}
