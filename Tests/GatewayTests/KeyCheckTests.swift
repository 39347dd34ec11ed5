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

  private func isAllowed(_ keys: KeyCheck, _ headers: HeaderFields, from address: String?) -> Bool {
    var head = HTTP1Request(method: "POST", path: "/", headers: headers)
    head.client = ClientAddress(address.flatMap { IPAddress($0) })
    do { try keys.check(head) } catch {
      #expect(error == .notFromHere)
      return false
    }
    return true
  }

  @Test(
    arguments: [
      ("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("192.0.2.1", false), ("::ffff:192.0.2.1", false),
      ("2001:db8::1", false), ("fe80::1", false), ("0.0.0.1", false), (nil, false),
    ] as [(String?, Bool)])
  func withoutAKeyThisMachineMayCall(_ address: String?, _ mayCall: Bool) {
    #expect(isAllowed(KeyCheck(nil, failed: FailedTokens(.keys)), [:], from: address) == mayCall)
    let behindEngine = KeyCheck(nil, isBehindEngine: true, failed: FailedTokens(.keys))
    #expect(isAllowed(behindEngine, ["x-forwarded-for": "192.0.2.1"], from: address))
  }

  @Test func withoutAKeyNobodyIsAsked() {
    let keys = KeyCheck(nil, failed: FailedTokens(.keys))
    for number in 0..<100 { #expect(refusal(keys, "\(number)", from: here) == nil) }
  }
}
