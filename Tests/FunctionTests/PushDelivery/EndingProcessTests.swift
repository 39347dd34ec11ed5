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

/// The real executable, told to end, killed or stopped at any moment.
@Suite(.heavy)
struct EndingProcessTests {
  @Test func toldToEndItWritesDownWhatIsAnsweredAndGivesBackTheRestAtOnce() async throws {
    let fixture = try await DeliveryFixture()
    let answers = Mutex<[@Sendable () -> Void]>([])
    let process = Mutex<RunningProgram?>(nil)
    let apns = try await APNsFake { push, responder in
      if push.number == 0 { return responder.answer(200) }
      answers.withLock { $0.append { responder.answer(200) } }
      // Five are on their way, the sixth may not be sent any more.
      guard push.number == 5 else { return }
      guard let program = process.withLock(\.self) else { return }
      program.send(SIGTERM)
      push.loop.schedule(whenIdle: program) {
        for answer in answers.withLock(\.self) { answer() }
      }
    }
    await apns.setMaxConcurrentStreams(5)
    try await fixture.enqueue((0..<700).map { "token-\($0)" })

    let program = try fixture.startDelivery(apns)
    process.withLock { $0 = program }
    let exit = try await program.exit()

    #expect(exit == 0 && apns.pushes.count == 6)
    #expect(try await fixture.states() == ["accepted": 6, "queued": 694])
    #expect(try await fixture.leased() == 0)
    #expect(try await fixture.connection.query("SELECT FROM push_notification_logs").count == 6)
    process.withLock { $0 = nil }
  }

  @Test(arguments: [Seed()])
  func killedAtAnyMomentItLosesNothingAndShowsNothingTwice(_ seed: Seed) async throws {
    var choices = seed.choices
    let fixture = try await DeliveryFixture()
    let shown = Mutex<[String: Set<String>]>([:])
    let apns = try await APNsFake { push, responder in
      shown.withLock { _ = $0[push.token, default: []].insert(push.collapseID ?? UUID().uuidString) }
      push.loop.schedule(after: .milliseconds(2)) { responder.answer(200) }
    }
    await apns.setMaxConcurrentStreams(20)
    let tokens = (0..<1_500).map { "token-\($0)" }
    try await fixture.enqueue(tokens)

    for round in 0..<6 {
      let programs = try (0..<2).map { _ in try fixture.startDelivery(apns) }
      let wanted = apns.pushes.count + Int.random(in: 1...150, using: &choices)
      // If fewer were left to send, both end by themselves.
      while apns.pushes.count < wanted, programs.contains(where: { $0.ended == nil }) { await Task.yield() }
      programs[0].send(SIGKILL)
      if round % 2 == 0 { programs[1].send(SIGKILL) }
      for program in programs { try await program.exit() }
      try await fixture.endLeases()
    }
    let last = try await fixture.startDelivery(apns).exit()

    #expect(last == 0)
    #expect(try await fixture.states() == ["accepted": 1_500])
    #expect(shown.withLock { $0.count == 1_500 && $0.allSatisfy { $0.value == [$0.key] } })
    #expect(Set(apns.pushes.map(\.authorization)).count == 1, "one provider token through all of it")
    let attempts = try await fixture.connection.query("SELECT FROM push_notification_logs WHERE status = 'sent'")
    #expect(attempts.count == 1_500)
  }

  @Test func stoppedForAWhileItGoesOnAndLosesNothing() async throws {
    let fixture = try await DeliveryFixture()
    let process = Mutex<RunningProgram?>(nil)
    let apns = try await APNsFake { push, responder in
      // The answers arrive while the process stands still, longer than it would wait for them.
      if push.number == 10 {
        process.withLock { $0?.send(SIGSTOP) }
        push.loop.schedule(after: .seconds(20)) { process.withLock { $0?.send(SIGCONT) } }
      }
      responder.answer(200)
    }
    try await fixture.enqueue((0..<200).map { "token-\($0)" })

    let program = try fixture.startDelivery(apns)
    process.withLock { $0 = program }
    let exit = try await program.exit(within: .seconds(180))

    // Pushes whose answers were too late when it went on may have been taken, and go again under the same collapse id.
    let rest = try await fixture.deliver(try apns.client(), after: 60)

    #expect(exit == 0 && apns.pushes.count == 200 + rest.accepted)
    #expect(try await fixture.states() == ["accepted": 200])
    #expect(apns.pushes.allSatisfy { $0.collapseID == $0.token })
    process.withLock { $0 = nil }
  }

  @Test func severalProcessesSendEachDeliveryOnce() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake())
    try await fixture.enqueue((0..<3_000).map { "token-\($0)" })

    let programs = try (0..<3).map { _ in try fixture.startDelivery(apns) }
    for program in programs { #expect(try await program.exit() == 0, "\(program.lines)") }

    #expect(apns.pushes.count == 3_000 && Set(apns.pushes.map(\.token)).count == 3_000)
    #expect(try await fixture.states() == ["accepted": 3_000])
  }

  @Test func aSilentServerHoldsItNoLongerThanItsTime() async throws {
    let (fixture, apns) = (try await DeliveryFixture(), try await APNsFake { _, _ in })
    try await fixture.enqueue(["aa", "bb"])

    // It ends by itself: a process that does not is killed, and has no exit status of its own.
    let outcome = try await BuiltExecutables.run(
      "push-delivery", stdin: "{}", environment: apns.environment.merging(["DATABASE_URL": fixture.url]) { $1 })

    #expect(outcome.exit == 0 && outcome.stdout.contains(#""retried":1,"unknown":1"#), "\(outcome.stdout)")
    #expect(try await fixture.log("aa") + fixture.log("bb") == ["unknown"])
  }
}

extension DeliveryFixture {
  /// Starts the executable for one event.
  func startDelivery(_ apns: APNsFake) throws -> RunningProgram {
    let input = try apns.directory.write("{}", to: "\(UUID().uuidString).json")
    let command = "exec '\(BuiltExecutables.path(of: "push-delivery"))' < '\(input)'"
    return try RunningProgram(
      "/bin/sh", ["-c", command], environment: apns.environment.merging(["DATABASE_URL": url]) { $1 })
  }

  func leased() async throws -> Int {
    try await connection.query("SELECT FROM deliveries WHERE lease_id IS NOT NULL").count
  }
}

extension EventLoop {
  /// Does something when a program has taken its signals and all of its threads wait.
  ///
  /// - Parameter looks: how many looks in a row must find it so: one thread may have just woken another.
  fileprivate func schedule(
    whenIdle program: RunningProgram, looks: Int = 3, _ body: @escaping @Sendable () -> Void
  ) {
    schedule(after: .milliseconds(20)) {
      let left = program.isIdle ? looks - 1 : 3
      if left == 0 { return body() }
      self.schedule(whenIdle: program, looks: left, body)
    }
  }
}

extension APNsFake {
  /// Waits until `count` pushes have arrived.
  func waitForPushes(_ count: Int) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while pushes.count < count, ContinuousClock.now < deadline { await Task.yield() }
  }
}
