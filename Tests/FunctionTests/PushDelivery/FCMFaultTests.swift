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
    let sender = try fake.sender()

    let broken = await sender.send((0..<10).map { .fcm("d\($0)") }, until: .now + .seconds(60))
    let mended = await sender.send([.fcm("e")], until: .now + .seconds(60))

    #expect(broken.allSatisfy { $0.verdict == .unknown })
    // The connection never proved itself: the next waits a second.
    #expect(mended.first?.verdict != .unknown && fake.messages.count <= 11)
  }

  @Test func whatAGoAwayLeftUnprocessedIsSentAtOnceOnANewConnection() async throws {
    let fake = try await FCMFake { message, responder in
      if message.number == 5 { responder.goAway(lastStreamID: responder.streamID) }
      responder.accept(message)
    }

    let reports = await (try fake.sender()).send((0..<50).map { .fcm("d\($0)") }, until: .now + .seconds(60))

    #expect(reports.allSatisfy { $0.verdict == .accepted } && fake.connections == 2)
    #expect(Set(fake.messages.map(\.token)).count == 50)
  }

  @Test func aServerThatRefusesEveryStreamIsNotHammered() async throws {
    let fake = try await FCMFake { $1.reset(code: 7) }

    let reports = await (try fake.sender()).send((0..<10).map { .fcm("d\($0)") }, until: .now + .seconds(60))

    #expect(reports.allSatisfy { if case .notSent(.some) = $0.verdict { true } else { false } })
    #expect(fake.messages.count <= 30)
  }

  @Test func aServerThatNeverAnswersIsGivenUpAfterItsTime() async throws {
    let fake = try await FCMFake { _, _ in }
    let sender = try fake.sender(limits: FCMSender.Limits(answer: .milliseconds(200)))

    let start = ContinuousClock.now
    let silent = await sender.send([.fcm("a")], until: .now + .seconds(60))
    let later = await sender.send([.fcm("b")], until: .now + .seconds(60))
    let isSlow = ContinuousClock.now - start > .seconds(1)

    #expect(silent.map(\.verdict) == [.unknown] && silent.map(\.reason) == ["TimedOut"])
    guard case .notSent(let pause?) = later.first?.verdict else {
      // The pause of a second is over by then.
      #expect(isSlow && later.map(\.verdict) == [.unknown])
      return
    }
    #expect(pause <= .seconds(1) && fake.messages.count == 1)
  }

  @Test func aServerThatIsNotThereIsTriedAgainWithGrowingPauses() async throws {
    let fake = try await FCMFake()
    let sender = try fake.sender(["FCM_URL": "https://127.0.0.1:1"])

    let first = await sender.send([.fcm("a")], until: .now + .seconds(60))
    let second = await sender.send([.fcm("a")], until: .now + .seconds(60))

    #expect(first.map(\.verdict) == [.notSent(pause: .seconds(1))])
    guard case .notSent(let pause?) = second.first?.verdict else {
      Issue.record("sent")
      return
    }
    // The rest of the first pause; or, where the first was over by then, the second.
    #expect(pause < .seconds(1) || pause == .seconds(2))
    #expect(second.first?.reason?.contains("unreachable") == true)
  }

  @Test func aCertificateOfAnotherAuthorityIsRefused() async throws {
    let (fake, other) = (try await FCMFake(), try await FCMFake())
    let sender = try fake.sender(["FCM_CA_PATH": "\(other.directory.path)/ca.pem"])

    let reports = await sender.send([.fcm("a")], until: .now + .seconds(60))

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

    let reports = await (try fake.sender()).send([.fcm("a")], until: .now + .seconds(60))

    #expect(reports.map(\.verdict) == [.backOff(atLeast: .seconds(10))])
  }

  @Test func aMessageThatCannotBeMadeIsNotSent() async throws {
    let fake = try await FCMFake()
    let large = #"{"aps":{"alert":"Hi"},"k":"\#(String(repeating: "x", count: 4_000))"}"#

    let reports = await (try fake.sender()).send(
      [.fcm("a", payload: large), .fcm("b", payload: "{}"), .fcm("c")], until: .now + .seconds(60))

    #expect(reports.map(\.verdict) == [.payloadTooLarge, .rejected, .accepted])
    #expect(fake.messages.map(\.token) == ["c"])
  }
}
