import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import PushLive
import Signing
import Synchronization
import TestSupport
import Testing

@testable import PushDelivery

/// Holds and tokens go by one clock, which may be set.
@Suite(.heavy)
struct HoldClockTests {
  @Test(arguments: [
    (429, "TooManyProviderTokenUpdates", 20.0), (400, "BadTopic", 5), (403, "InvalidProviderToken", 5),
  ])
  func whatAPNsRefusesIsHeldByTheClock(status: Int, reason: String, minutes: Double) async throws {
    let apns = try await APNsFake { push, responder in
      responder.answer(push.number == 0 ? status : 200, push.number == 0 ? reason : nil)
    }
    let clock = Mutex(Date.now)
    let sender = try apns.sender(now: { clock.withLock(\.self) })
    func send() async -> PushVerdict? { await sender.send([.test("aa")]).first?.verdict }

    _ = await send()
    clock.withLock { $0 += minutes * 60 - 60 }
    guard case .notSent(let pause?) = await send() else { throw FunctionError(.failed, "It is not held.") }
    clock.withLock { $0 += 61 }

    #expect(await send() == .accepted)
    #expect(pause > .seconds(50) && pause <= .seconds(61) && apns.pushes.count == 2)
  }

  @Test func aHoldEndsWhereTheClockIsPutBack() async throws {
    let apns = try await APNsFake { push, responder in
      responder.answer(push.number == 0 ? 429 : 200, push.number == 0 ? "TooManyProviderTokenUpdates" : nil)
    }
    let clock = Mutex(Date.now + 8 * 3_600)
    let sender = try apns.sender(now: { clock.withLock(\.self) })
    _ = await sender.send([.test("aa")])

    clock.withLock { $0 -= 8 * 3_600 }

    #expect(await sender.send([.test("aa")]).map(\.verdict) == [.accepted])
  }

  /// APNs has refused a key because its token had a wrong time; the clock may have been set since, forward or back.
  ///
  /// - Parameters:
  ///   - wrong: how many seconds the machine's clock was ahead when APNs refused the key.
  ///   - then: how many it is ahead at the next push.
  @Test(
    arguments: [
      (8 * 3_600, 0, true), (-8 * 3_600, 0, true), (8 * 3_600, 8 * 3_600, false), (8 * 3_600, 8 * 3_600 - 30, false),
    ] as [(TimeInterval, TimeInterval, Bool)])
  func aKeyThatWasRefusedIsTriedWhereTheClockWasSet(
    _ wrong: TimeInterval, then: TimeInterval, isTried: Bool
  ) async throws {
    let start = Date.now
    let apns = try await APNsFake { push, responder in
      let isRight = abs((push.jwt?.issuedAt ?? 0) - start.timeIntervalSince1970) < 3_600
      responder.answer(isRight ? 200 : 403, isRight ? nil : "InvalidProviderToken")
    }
    let ahead = Mutex(wrong)
    let (clock, log) = (ManualClock(), LogLines())
    let time = SenderTime(
      instant: { clock.now }, date: { clock.date + ahead.withLock(\.self) }, pass: { clock.advance(by: $0) })
    let sender = try apns.sender(log: log.log, time: time)
    #expect(await sender.send([.test("aa")]).map(\.verdict) == [.holdCredential])

    ahead.withLock { $0 = then }
    let verdicts = await sender.send([.test("aa")]).map(\.verdict)

    #expect((verdicts == [.accepted]) == isTried, "\(verdicts)")
    #expect(apns.pushes.count == (isTried ? 2 : 1))
    #expect(log.count("A key is tried or accepted again") == (isTried ? 1 : 0))
  }

  @Test(arguments: [true, false]) func whatFCMRefusesIsHeldByTheClock(isGrant: Bool) async throws {
    let fcm = try await FCMFake(
      grants: { isGrant && $0 == 0 ? .noGrant(400, "invalid_grant") : .grant("token-\($0)") },
      script: { message, responder in
        !isGrant && message.number == 0 ? responder.refuse(403) : responder.accept(message)
      })
    let clock = Mutex(Date.now)
    let sender = try fcm.sender(now: { clock.withLock(\.self) })
    func send() async -> PushVerdict? { await sender.send([.fcm("a")]).first?.verdict }

    _ = await send()
    clock.withLock { $0 += 4 * 60 }
    guard case .notSent(.some) = await send() else { throw FunctionError(.failed, "It is not held.") }
    clock.withLock { $0 += 61 }

    #expect(await send() == .accepted)
  }

  @Test func bothProvidersTokensAreDatedByTheInvocation() async throws {
    let (fixture, apns, fcm) = (try await DeliveryFixture(), try await APNsFake(), try await FCMFake())
    try await fixture.enqueue(["aa"], expiresAt: fixture.now + 20 * 3_600)
    try await fixture.enqueue(["cc"], provider: "fcm", expiresAt: fixture.now + 20 * 3_600)
    let variables = apns.environment.merging(fcm.environment) { $1 }.merging(["DATABASE_URL": fixture.url]) { $1 }
    let (function, later) = (try await PushDelivery.live(Environment(variables)), fixture.now + 9 * 3_600)

    let summary = try await function.handle(.wakeUp, .test(now: later))

    #expect(summary.accepted == 2)
    let assertion = try #require(fcm.grants.first?.split(separator: "=").last.map(String.init))
    for issuedAt in [try JWT(parsing: assertion).issuedAt, apns.pushes.first?.jwt?.issuedAt] {
      #expect(abs((issuedAt ?? 0) - later.timeIntervalSince1970) < 300)
    }
    let ttl = fcm.messages.first?.message["android"]?["ttl"]?.stringValue
    #expect(ttl.flatMap { Int($0.dropLast()) }.map { (10 * 3_600...11 * 3_600).contains($0) } == true)
  }
}
