import EventLoop
import FoundationEssentials
import FunctionKit
import Glibc
import HTTP2
import Notifications
import Postgres
import PushLive
import Synchronization
import TestSupport
import Testing

@testable import PushDelivery

/// Connections that break, servers that are silent or away, and processes that end too early.
@Suite(.heavy)
struct PushDeliveryFaultTests {
  @Test func aBrokenConnectionWithFiftyOpenStreamsLosesNothing() async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake { push, responder in
      switch push.number {
      case 0, 51...: responder.answer(200)
      case 50: responder.dropConnection()
      default: break
      }
    }
    let client = try apns.client()
    let tokens = (0..<51).map { "token-\($0)" }
    try await fixture.enqueue(tokens)

    let broken = try await fixture.deliver(client)
    let mended = try await fixture.deliver(client, after: 1)

    #expect(broken == DeliverySummary(claimed: 51, accepted: 1, unknown: 50, wakeAt: fixture.now + 1))
    #expect(mended == DeliverySummary(claimed: 50, accepted: 50))
    #expect(apns.connections == 2)
    let shown = Dictionary(grouping: apns.pushes, by: \.token).mapValues { Set($0.map(\.collapseID)) }
    #expect(shown == Dictionary(uniqueKeysWithValues: tokens.map { ($0, [$0]) }))
    #expect(Set(apns.pushes.map { $0.headers["apns-id"] }).count == 101)
  }

  @Test func whatAGoAwayLeftUnprocessedIsSentAtOnceOnANewConnection() async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake { push, responder in
      if push.number == 20 { responder.goAway(lastStreamID: responder.streamID, debugData: Array("{}".utf8)) }
      responder.answer(200)
    }
    try await fixture.enqueue((0..<100).map { "token-\($0)" })

    let summary = try await fixture.deliver(try apns.client())

    #expect(summary == DeliverySummary(claimed: 100, accepted: 100))
    #expect(Set(apns.pushes.map(\.token)).count == 100 && apns.connections == 2)
    #expect(try await fixture.log("token-0") == ["sent"])
  }

  @Test func aServerThatRefusesEverythingIsNotHammered() async throws {
    let fixture = try await DeliveryFixture()
    let refusedStream: UInt32 = 7
    let apns = try await APNsFake { _, responder in responder.reset(code: refusedStream) }
    try await fixture.enqueue((0..<100).map { "token-\($0)" })

    let summary = try await fixture.deliver(try apns.client())

    #expect(summary.retried == 100 && summary.wakeAt ?? .distantPast > fixture.now)
    #expect(apns.pushes.count <= 8)
    #expect(try await fixture.delivery("token-0").attempts == 0)
  }

  @Test func aServerThatNeverAnswersCostsOneAttemptAndNoConnectionMore() async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake { _, _ in }
    try await fixture.enqueue(["aa", "bb", "cc"])

    let summary = try await fixture.deliver(try apns.client(limits: APNsSender.Limits(answer: .milliseconds(200))))

    #expect(summary.unknown == 1 && summary.retried == 2 && apns.pushes.count == 1)
    let attempts = try await [fixture.delivery("aa"), fixture.delivery("bb"), fixture.delivery("cc")].map(\.attempts)
    #expect(attempts.sorted() == [0, 0, 1])
  }

  @Test func aServerThatIsAwayCostsNoAttempt() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    await apns.stop()
    try await fixture.enqueue(["aa"])
    let client = try apns.client(time: SenderTime(ManualClock()))

    let first = try await fixture.deliver(client)
    let meanwhile = try await fixture.deliver(client, after: 1.5)

    #expect(first == DeliverySummary(claimed: 1, retried: 1, wakeAt: fixture.now + 1) && meanwhile.retried == 1)
    #expect(try await fixture.delivery("aa").attempts == 0)
    #expect(try await fixture.log("aa").isEmpty)
  }

  @Test func anExpiredTokenIsRenewedOnceOnANewConnection() async throws {
    let fixture = try await DeliveryFixture()
    let old = Mutex<String?>(nil)
    let apns = try await APNsFake { push, responder in
      let authorization = push.headers["authorization"]
      let isOld = old.withLock { old in
        old = old ?? authorization
        return push.number > 0 && authorization == old
      }
      responder.answer(isOld ? 403 : 200, isOld ? "ExpiredProviderToken" : nil)
    }
    let clock = Mutex(fixture.now)
    let client = PushClient.apns(try apns.sender(now: { clock.withLock(\.self) }))
    try await fixture.enqueue(["first"])
    try await fixture.deliver(client)

    clock.withLock { $0 += 20 * 60 }
    try await fixture.enqueue((0..<20).map { "token-\($0)" })
    let summary = try await fixture.deliver(client)

    #expect(summary == DeliverySummary(claimed: 20, accepted: 20))
    #expect(apns.connections == 2)
    #expect(Set(apns.pushes.compactMap { $0.headers["authorization"] }).count == 2)
    #expect(try await fixture.delivery("token-0").attempts == 1)
  }

  @Test func aTokenThatIsTooYoungToBeRenewedHoldsTheTeam() async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake(403, "ExpiredProviderToken")
    let client = try apns.client(time: SenderTime(ManualClock()))
    try await fixture.enqueue((0..<10).map { "token-\($0)" })

    let summary = try await fixture.deliver(client)
    let next = try await fixture.deliver(client, after: 1)

    #expect(summary.retried == 10 && apns.pushes.count == 1 && next.claimed == 0)
    #expect(summary.wakeAt == fixture.now + 1_200)
  }

  @Test func aMisconfiguredAppIsHeldAndTheOthersAreNot() async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake { push, responder in
      let isWrong = push.headers["apns-topic"] == "com.example.app"
      responder.answer(isWrong ? 400 : 200, isWrong ? "TopicDisallowed" : nil)
    }
    try await fixture.enqueue((0..<10).map { "wrong-\($0)" } + (0..<10).map { "right-\($0)" })
    _ = try await fixture.connection.query(
      "UPDATE device_tokens SET bundle_id = 'com.example.other' WHERE token LIKE 'right-%'")

    let summary = try await fixture.deliver(try apns.client())

    #expect(summary == DeliverySummary(claimed: 20, accepted: 10, retried: 10, wakeAt: summary.wakeAt))
    #expect(apns.pushes.filter { $0.token.hasPrefix("wrong") }.count == 1)
    let inactive = try await fixture.connection.query("SELECT FROM device_tokens WHERE NOT is_active")
    #expect(inactive.isEmpty)
  }

  @Test func aShutdownIsTriedOnceMoreAndThenLater() async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake(503, "Shutdown")
    try await fixture.enqueue(["aa"])

    let summary = try await fixture.deliver(try apns.client())

    #expect(apns.pushes.count == 2 && apns.connections == 2)
    #expect(summary.wakeAt == fixture.now + 900)
    #expect(try await fixture.delivery("aa").attempts == 1)
  }

  @Test func aBadTokenIsTriedInTheOtherEnvironment() async throws {
    let fixture = try await DeliveryFixture()
    let apns = try await APNsFake { push, responder in
      responder.answer(push.number == 0 ? 400 : 200, push.number == 0 ? "BadDeviceToken" : nil)
    }
    try await fixture.enqueue(["aa"], environment: "sandbox")

    let summary = try await fixture.deliver(try apns.client())

    #expect(summary == DeliverySummary(claimed: 2, accepted: 1, retried: 1))
    #expect(try await fixture.device("aa", "environment") == "production")
  }

  @Test func theStreamLimitOfTheServerIsKept() async throws {
    let fixture = try await DeliveryFixture()
    let open = Mutex((now: 0, most: 0))
    let apns = try await APNsFake { push, responder in
      open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      push.loop.schedule(after: .milliseconds(1)) {
        open.withLock { $0.now -= 1 }
        responder.answer(200)
      }
    }
    await apns.setMaxConcurrentStreams(7)
    try await fixture.enqueue((0..<200).map { "token-\($0)" })

    // On a busy machine the answers are late, and waiting pushes would get another connection.
    var limits = APNsSender.Limits()
    limits.congestion = .seconds(3_600)
    let summary = try await fixture.deliver(try apns.client(limits: limits))

    #expect(summary.accepted == 200 && apns.connections == 1)
    #expect(open.withLock(\.most) <= 7)
  }

  @Test func aProcessKilledBeforeItWritesSendsAgainUnderTheSameCollapseID() async throws {
    let fixture = try await DeliveryFixture()
    let directory = try TemporaryDirectory()
    let apns = try await APNsFake { push, responder in
      if push.number == 0, let data = FileManager.default.contents(atPath: "\(directory.path)/pid"),
        let process = Int32(String(decoding: data, as: UTF8.self).filter(\.isNumber))
      {
        kill(process, SIGKILL)
      }
      responder.answer(200)
    }
    try await fixture.enqueue(["aa"])
    let environment = apns.environment.merging(["DATABASE_URL": fixture.url]) { $1 }
    let command = "echo $$ > \(directory.path)/pid; exec '\(BuiltExecutables.path(of: "push-delivery"))'"

    let outcome = try await BuiltExecutables.run("/bin/sh", ["-c", command], stdin: "{}", environment: environment)
    let held = try await fixture.delivery("aa")
    try await fixture.endLeases()
    let again = try await BuiltExecutables.run("push-delivery", stdin: "{}", environment: environment)

    #expect(outcome.exit == 128 + SIGKILL && held.state == "queued" && held.isLeased)
    #expect(again.exit == 0 && again.stdout.contains(#""accepted":1"#))
    #expect(apns.pushes.map(\.collapseID) == ["aa", "aa"])
    #expect(try await fixture.delivery("aa").state == "accepted")
  }

  @Test func aMisconfiguredProcessEndsWithASentence() async throws {
    let outcome = try await BuiltExecutables.run(
      "push-delivery", stdin: "{}", environment: ["APNS_PRODUCTION": "perhaps", "DATABASE_URL": "postgresql:///"])

    #expect(outcome.exit == 78)
    for name in ["APNS_KEY_ID", "APNS_TEAM_ID", "APNS_BUNDLE_ID", "APNS_KEY_PATH", "APNS_PRODUCTION"] {
      #expect(outcome.stdout.contains(name))
    }
  }
}
