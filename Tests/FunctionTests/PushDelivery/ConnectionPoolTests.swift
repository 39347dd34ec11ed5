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

/// The connections that pushes go by.
struct ConnectionPoolTests {
  @Test func keysEnvironmentsAndTopicsHaveConnectionsOfTheirOwn() async throws {
    let apns = try await APNsFake()
    let keys = try apns.keys([
      .init(keyID: "SANDBOX001", environments: ["sandbox"]),
      .init(keyID: "PRODUCTION", environments: ["production"]),
      .init(keyID: "TOPICKEY01", topics: ["com.example.special"]),
      .init(keyID: "OTHERTEAM1", teamID: "OTHERTEAM0", topics: ["com.other.app"]),
    ])

    var pushes: [QueuedPush] = []
    for topic: String in ["com.example.app", "com.example.second", "com.example.special", "com.other.app"] {
      for environment in PushEnvironment.allCases {
        pushes += (0..<3).map { .test("\(topic)-\(environment)-\($0)", environment: environment, topic: topic) }
      }
    }

    let reports = try await apns.sender(keys).send(pushes)

    #expect(reports.allSatisfy { $0.verdict == .accepted } && apns.pushes.count == 24)
    let byConnection = Dictionary(grouping: apns.pushes, by: \.connection).values.map { pushes in
      [
        Set(pushes.compactMap { $0.jwt?.keyID }), Set(pushes.compactMap { $0.jwt?.issuer }),
        Set(pushes.map { $0.token.split(separator: "-").dropFirst().first.map(String.init) ?? "" }),
      ]
    }
    #expect(byConnection.count == 6 && byConnection.allSatisfy { $0.allSatisfy { $0.count == 1 } })
    let special = apns.pushes.filter { $0.topic == "com.example.special" }
    #expect(Set(special.compactMap { $0.jwt?.keyID }) == ["TOPICKEY01"])
    let other = apns.pushes.filter { $0.topic == "com.other.app" }
    #expect(Set(other.compactMap { $0.jwt?.issuer }) == ["OTHERTEAM0"])
  }

  @Test func anAppWithoutAKeyWaitsAndTheOthersGo() async throws {
    let apns = try await APNsFake()
    let log = LogLines()
    let sender = try apns.sender(try apns.keys([.init(topics: ["com.example.app"])]), log: log.log)

    for _ in 0..<2 {
      let reports = await sender.send([.test("aa"), .test("bb", topic: "com.example.unknown")])
      #expect(reports.map(\.verdict) == [.accepted, .noKey] && reports[1].reason == "NoKeyForTopic")
    }

    #expect(apns.pushes.map(\.token) == ["aa", "aa"])
    #expect(log.count("No key is configured for an app") == 1)
  }

  @Test func anAppsDevicesGoByItsTopicAndNeverByAnothers() async throws {
    let apns = try await APNsFake()
    let log = LogLines()
    let topics = ["APNS_TOPICS": "lockitin=com.example.first,lockitin=com.example.lockit"]
    let sender = try apns.sender(topics, log: log.log)
    func push(_ app: String, topic: String? = nil) -> QueuedPush {
      var push = QueuedPush.test(app, topic: topic)
      push.device.app = app
      return push
    }

    for _ in 0..<2 {
      let reports = await sender.send([
        push("feedbackkit"), push("lockitin"), push("mugshot"), push("repairminder", topic: "com.example.repairs"),
      ])
      #expect(reports.map(\.verdict) == [.accepted, .accepted, .noKey, .accepted])
      #expect(reports[2].reason == "NoTopicForApp")
    }

    #expect(
      Dictionary(apns.pushes.map { ($0.token, $0.topic) }) { first, _ in first } == [
        "feedbackkit": "com.example.app", "lockitin": "com.example.lockit", "repairminder": "com.example.repairs",
      ])
    #expect(log.count("No topic is configured") == 1)
  }

  @Test func aColdBurstOpensOneConnectionAndNoStreamIsRefused() async throws {
    let open = Mutex<[@Sendable () -> Void]>([])
    let apns = try await APNsFake { push, responder in
      guard push.number > 0 else {
        responder.setMaxConcurrentStreams(1_000)
        // Time for the sender to open another connection by mistake.
        push.loop.schedule(after: .milliseconds(500)) { responder.answer(200) }
        return
      }
      open.withLock { $0.append { responder.answer(200) } }
      guard push.number == 99 else { return }
      for answer in open.withLock(\.self) { answer() }
    }
    await apns.setMaxConcurrentStreams(1)
    var limits = APNsSender.Limits()
    limits.congestion = .zero

    let reports = try await apns.sender(limits: limits).send((0..<100).map { .test("\($0)") })

    #expect(reports.allSatisfy { $0.verdict == .accepted })
    // Without the answers to any of them, all ninety-nine were on their way.
    #expect(apns.connections == 1 && apns.pushes.count == 100)
  }

  @Test(arguments: [4, 2, 1]) func whatWouldWaitTooLongGetsMoreConnectionsUpToTheLimit(limit: Int) async throws {
    let held = HeldAnswers(untilConnections: limit)
    let apns = try await APNsFake { push, responder in
      held.hold(push) { push.loop.schedule(after: .milliseconds(20)) { responder.answer(200) } }
    }
    await apns.setMaxConcurrentStreams(2)
    var limits = APNsSender.Limits()
    (limits.congestion, limits.connections) = (.zero, limit)

    let reports = try await apns.sender(limits: limits).send((0..<120).map { .test("\($0)") })

    #expect(reports.allSatisfy { $0.verdict == .accepted } && apns.pushes.count == 120)
    #expect(apns.connections == limit)
  }

  @Test func everyNewConnectionIsTriedByOnePushAlone() async throws {
    let state = Mutex((answered: Set<UInt64>(), seen: Set<UInt64>(), early: 0))
    let held = HeldAnswers(untilConnections: 4)
    let apns = try await APNsFake { push, responder in
      let isFirst = state.withLock { state in
        let isFirst = state.seen.insert(push.connection).inserted
        if !isFirst, !state.answered.contains(push.connection) { state.early += 1 }
        return isFirst
      }
      held.hold(push) {
        push.loop.schedule(after: .milliseconds(isFirst ? 60 : 20)) {
          state.withLock { _ = $0.answered.insert(push.connection) }
          responder.answer(200)
        }
      }
    }
    await apns.setMaxConcurrentStreams(2)
    var limits = APNsSender.Limits()
    limits.congestion = .zero

    let reports = try await apns.sender(limits: limits).send((0..<100).map { .test("\($0)") })

    #expect(reports.allSatisfy { $0.verdict == .accepted })
    #expect(apns.connections == 4 && state.withLock(\.early) == 0)
  }

  @Test func aSilentConnectionIsAskedBeforeItIsUsed() async throws {
    let (apns, clock) = (try await APNsFake(), ManualClock())
    var limits = APNsSender.Limits()
    limits.liveness = .seconds(120)
    let sender = try apns.sender(limits: limits, time: SenderTime(clock))

    for token in ["aa", "bb", "cc"] {
      _ = await sender.send([.test(token)], until: clock.now + .seconds(60))
      clock.advance(by: limits.silence)
    }

    #expect(apns.pushes.map(\.token) == ["aa", "bb", "cc"] && apns.connections == 1)
  }

  @Test func aConnectionThatNoLongerAnswersIsReplacedBeforeAPushIsLost() async throws {
    let (apns, clock) = (try await APNsFake(), ManualClock())
    let relay = try await Relay.start(to: apns.port)
    var limits = APNsSender.Limits()
    limits.liveness = .milliseconds(100)
    let sender = try apns.sender(
      ["APNS_URL": "https://127.0.0.1:\(relay.port)"], limits: limits, time: SenderTime(clock))
    _ = await sender.send([.test("aa")])

    relay.swallowPresentConnections()
    clock.advance(by: limits.silence)
    let reports = await sender.send([.test("bb"), .test("cc")], until: clock.now + .seconds(60))

    #expect(reports.map(\.verdict) == [.accepted, .accepted])
    #expect(apns.pushes.map(\.token).sorted() == ["aa", "bb", "cc"] && apns.connections == 2)
  }

  @Test func anIdleConnectionIsKeptOpenByPings() async throws {
    let apns = try await APNsFake()
    let relay = try await Relay.start(to: apns.port)
    var limits = APNsSender.Limits()
    (limits.keepAlive, limits.liveness) = (.milliseconds(20), .seconds(120))
    let sender = try apns.sender(["APNS_URL": "https://127.0.0.1:\(relay.port)"], limits: limits)
    _ = await sender.send([.test("aa")])

    let before = relay.chunks
    try await relay.waitForChunks(before + 6)
    _ = await sender.send([.test("bb")])

    #expect(apns.connections == 1)
  }

  @Test func afterAShutdownTheConnectionIsClosedOnceEverythingOnItIsAnswered() async throws {
    let held = Mutex<[@Sendable () -> Void]>([])
    let apns = try await APNsFake { push, responder in
      switch push.number {
      case 0: responder.answer(200)
      case 1...9: held.withLock { $0.append { responder.answer(200) } }
      case 10: responder.answer(503, "Shutdown")
      default:
        // The new connection has answered: now the old one's pushes are answered, too.
        for answer in held.withLock({ held in
          defer { held = [] }; return held
        }) { answer() }
        responder.answer(200)
      }
    }

    let reports = try await apns.sender().send((0..<11).map { .test("\($0)") })

    #expect(reports.allSatisfy { $0.verdict == .accepted })
    #expect(apns.pushes.count == 12 && apns.connections == 2)
  }
}
