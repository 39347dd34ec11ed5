import EventLoop
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

/// The function between a real database and a real HTTP/2 server.
@Suite(.heavy)
struct PushDeliveryTests {
  @Test func sendsWhatAPNsAsksFor() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    try await fixture.enqueue(["abcd"])

    try await fixture.deliver(try apns.client())

    let push = try #require(apns.pushes.first)
    #expect(push.token == "abcd" && push.body == #"{"aps":{"badge":1,"alert":"Hi"},"type":"new_vote"}"#)
    #expect(push.headers["apns-topic"] == "com.example.app" && push.headers["apns-push-type"] == "alert")
    #expect(push.headers["apns-priority"] == "10" && push.collapseID == "abcd")
    #expect(push.headers["apns-expiration"] == String(Int(fixture.now.timeIntervalSince1970) + 86_400))
    let id = try #require(push.headers["apns-id"])
    #expect(UUID(uuidString: id)?.uuidString.lowercased() == id)
    let authorization = try #require(push.headers["authorization"])
    let token = try JWT(parsing: String(authorization.dropFirst("bearer ".count)))
    let verifier = try apns.key.verificationKey()
    #expect(authorization.hasPrefix("bearer ") && token.isSigned(by: verifier))
  }

  @Test func sendsTheFirstPushAloneAndTheOthersAtOnceOnOneConnection() async throws {
    let fixture = try await DeliveryFixture()
    let early = Mutex(0)
    let isAnswered = Mutex(false)
    let apns = try await APNsFake { push, responder in
      guard push.number > 0 else {
        push.loop.schedule(after: .milliseconds(100)) {
          isAnswered.withLock { $0 = true }
          responder.answer(200)
        }
        return
      }
      if !isAnswered.withLock(\.self) { early.withLock { $0 += 1 } }
      responder.answer(200)
    }
    try await fixture.enqueue((0..<100).map { "token-\($0)" })

    let summary = try await fixture.deliver(try apns.client())

    #expect(summary.accepted == 100 && early.withLock(\.self) == 0)
    #expect(apns.connections == 1)
  }

  @Test func keepsTheConnectionOpenBetweenInvocations() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    let client = try apns.client()

    for token in ["aa", "bb", "cc"] {
      try await fixture.enqueue([token])
      try await fixture.deliver(client)
    }

    #expect(apns.pushes.map(\.token) == ["aa", "bb", "cc"] && apns.connections == 1)
  }

  @Test func fiveThousandDeliveriesAreEachSentOnceByTwoSendersAtOnce() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    try await fixture.enqueue((0..<5_000).map { "token-\($0)" })

    @Sendable func deliverAll() async throws -> Int {
      let client = try apns.client()
      var accepted = 0
      while case let summary = try await fixture.deliver(client), summary.claimed > 0 { accepted += summary.accepted }
      return accepted
    }
    async let first = deliverAll()
    async let second = deliverAll()
    let accepted = try await first + second

    #expect(accepted == 5_000 && apns.pushes.count == 5_000)
    #expect(Set(apns.pushes.map(\.token)).count == 5_000)
    #expect(try await fixture.states() == ["accepted": 5_000])
    #expect(apns.connections == 2)
  }

  @Test func withoutAKeyFileItIsMisconfigured() async throws {
    let apns = try await APNsFake()
    var variables = apns.environment
    variables["APNS_KEY_PATH"] = "/nonexistent/AuthKey.p8"
    variables["DATABASE_URL"] = "postgresql:///nowhere"
    let environment = Environment(variables)

    await #expect(throws: FunctionErrorCode(code: .misconfigured)) {
      try await FunctionErrorCode.of { try await PushDelivery.live(environment) }
    }
  }
}
