import FoundationEssentials
import FunctionKit
import HTTP2
import Notifications
import PushLive
import TestSupport
import Testing

@testable import PushDelivery

/// FCM's connections that break, its servers that are silent or away, and its front ends that answer in its place.
struct FCMFaultTests {
  @Test func aBrokenConnectionLeavesUnknownWhatWasOnItsWay() async throws {
    let fake = try await FCMFake { message, responder in
      if message.number == 9 { responder.dropConnection() } else if message.number > 9 { responder.accept(message) }
    }
    let clock = ManualClock()
    let sender = try fake.sender(time: SenderTime(clock))

    let broken = await sender.send((0..<10).map { .fcm("d\($0)") })
    let early = await sender.send([.fcm("e")])
    clock.advance(by: .seconds(1))
    let mended = await sender.send([.fcm("f")])

    #expect(broken.allSatisfy { $0.verdict == .unknown })
    // The connection never proved itself: the next waits a second.
    #expect(early.map(\.verdict) == [.notSent(pause: .seconds(1))])
    #expect(mended.map(\.verdict) == [.accepted] && fake.messages.count == 11)
  }

  @Test func whatAGoAwayLeftUnprocessedIsSentAtOnceOnANewConnection() async throws {
    let fake = try await FCMFake { message, responder in
      if message.number == 5 { responder.goAway(lastStreamID: responder.streamID) }
      responder.accept(message)
    }

    let reports = await (try fake.sender()).send((0..<50).map { .fcm("d\($0)") })

    #expect(reports.allSatisfy { $0.verdict == .accepted } && fake.connections == 2)
    #expect(Set(fake.messages.map(\.token)).count == 50)
  }

  @Test func aServerThatRefusesEveryStreamIsNotHammered() async throws {
    let fake = try await FCMFake { $1.reset(code: 7) }

    let sender = try fake.sender(time: SenderTime(ManualClock()))

    let reports = await sender.send((0..<10).map { .fcm("d\($0)") })

    #expect(reports.allSatisfy { $0.verdict == .notSent(pause: .seconds(1)) } && fake.messages.count == 10)
  }

  @Test func aServerThatNeverAnswersIsGivenUpAfterItsTime() async throws {
    let fake = try await FCMFake { _, _ in }
    let clock = ManualClock()
    var limits = FCMSender.Limits.patient
    limits.answer = .milliseconds(200)
    let sender = try fake.sender(limits: limits, time: SenderTime(clock))

    let silent = await sender.send([.fcm("a")])
    clock.advance(by: .milliseconds(400))
    let later = await sender.send([.fcm("b")])

    #expect(silent.map(\.verdict) == [.unknown] && silent.map(\.reason) == ["TimedOut"])
    #expect(later.map(\.verdict) == [.notSent(pause: .milliseconds(600))])
  }

  @Test func aServerThatIsNotThereIsTriedAgainWithGrowingPauses() async throws {
    let fake = try await FCMFake()
    let clock = ManualClock()
    let sender = try fake.sender(["FCM_URL": "https://127.0.0.1:1"], time: SenderTime(clock))
    func send() async -> PushReport? { await sender.send([.fcm("a")]).first }

    let first = await send()
    clock.advance(by: .milliseconds(900))
    let early = await send()
    clock.advance(by: .milliseconds(100))
    let second = await send()

    #expect(first?.verdict == .notSent(pause: .seconds(1)))
    #expect(early?.verdict == .notSent(pause: .milliseconds(100)))
    #expect(second?.verdict == .notSent(pause: .seconds(2)))
    #expect([first, early, second].allSatisfy { $0?.reason?.contains("unreachable") == true })
  }

  @Test func aCertificateOfAnotherAuthorityIsRefused() async throws {
    let (fake, other) = (try await FCMFake(), try await FCMFake())
    let sender = try fake.sender(["FCM_CA_PATH": "\(other.directory.path)/ca.pem"])

    let reports = await sender.send([.fcm("a")])

    guard case .notSent = reports.first?.verdict else {
      Issue.record("sent")
      return
    }
    #expect(fake.messages.isEmpty && fake.grants.isEmpty)
  }

  @Test func withoutTimeForAnAnswerNothingIsSent() async throws {
    let fake = try await FCMFake()

    let reports = await (try fake.sender()).send([.fcm("a")], until: .now + .seconds(5))

    #expect(reports.map(\.verdict) == [.notSent(pause: .seconds(1))] && fake.messages.isEmpty)
  }

  @Test func aPageOfAFrontEndIsJudgedByItsStatus() async throws {
    let fake = try await FCMFake { _, responder in
      responder.respond(HTTP2Response(status: 502, body: Array("<html>Bad gateway</html>".utf8)))
    }

    let reports = await (try fake.sender()).send([.fcm("a")])

    #expect(reports.map(\.verdict) == [.backOff(atLeast: .seconds(10))])
  }

  @Test func aMessageThatCannotBeMadeIsNotSent() async throws {
    let fake = try await FCMFake()
    let large = #"{"aps":{"alert":"Hi"},"k":"\#(String(repeating: "x", count: 4_000))"}"#

    let reports = await (try fake.sender()).send(
      [.fcm("a", payload: large), .fcm("b", payload: "{}"), .fcm("c")])

    #expect(reports.map(\.verdict) == [.payloadTooLarge, .rejected, .accepted])
    #expect(fake.messages.map(\.token) == ["c"])
  }
}
