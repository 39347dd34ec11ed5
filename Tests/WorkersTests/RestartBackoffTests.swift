import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import System
@testable import Workers

@Suite(.heavy)
struct RestartBackoffTests {
  private let start = ContinuousClock.now

  /// The pauses after each of some deaths, one after the other.
  private func pauses(_ count: Int) -> [Duration] {
    var backoff = RestartBackoff()
    return (1...count).map { second in
      _ = backoff.died(startedAt: start + .seconds(second), at: start + .seconds(second))
      return backoff.delay
    }
  }

  @Test func pausesDoubleFromTheSecondDeathToHalfAMinute() {
    #expect(pauses(5) == [.zero, .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800)])
    #expect(pauses(100).last == .seconds(30))
  }

  @Test func aPauseIsOverAfterItsTime() {
    var backoff = RestartBackoff()
    for second in 1...2 { _ = backoff.died(startedAt: start + .seconds(second), at: start + .seconds(second)) }

    #expect(backoff.wait(at: start + .seconds(2)) == .milliseconds(100))
    #expect(backoff.wait(at: start + .milliseconds(2_100)) == nil)
  }

  @Test func duringABackoffEachStartMakesTheNextWait() {
    var backoff = RestartBackoff()
    for second in 1...2 { _ = backoff.died(startedAt: start + .seconds(second), at: start + .seconds(second)) }
    backoff.started(at: start + .seconds(3))

    #expect(backoff.wait(at: start + .seconds(3)) == .milliseconds(100))
  }

  @Test func thoseThatRanSideBySideCountOnce() {
    var backoff = RestartBackoff()

    let grown = (1...4).map { backoff.died(startedAt: start, at: start + .seconds($0)) }

    #expect(grown == [false, false, false, false])
    #expect(backoff.delay == .zero)
  }

  @Test func successForgetsAllDeaths() {
    var backoff = RestartBackoff()
    for second in 1...5 { _ = backoff.died(startedAt: start + .seconds(second), at: start + .seconds(second)) }
    backoff.succeeded()

    #expect(backoff.wait(at: start) == nil)
    #expect(backoff.died(startedAt: start, at: start) == false)
  }

  @Test(arguments: [FunctionEntry.Mode.warm, .oneshot])
  @RunnerLoop func eachEventGetsTheCrashOfItsOwnProcessLaterAndLater(_ mode: FunctionEntry.Mode) async throws {
    let function = try ScriptedPool("read -r line; kill -KILL $$", mode: mode)
    let start = ContinuousClock.now

    let outcomes = await function.outcomes(5)

    #expect(outcomes.map(\.code) == Array(repeating: "WORKER_CRASH", count: 5))
    #expect(.now - start >= .milliseconds(700))
    #expect(function.backoffs == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800)])
  }

  @Test @RunnerLoop func aDeathWhileIdleCountsToo() async throws {
    let function = try ScriptedPool(#"read -r line; printf '{"id":"1","exit":1}\n'; echo $$ > answered; kill -KILL $$"#)

    for _ in 1...3 {
      _ = await function.outcome()
      _ = try await Polling.wait(until: .now + .seconds(120)) { function.pool.processes == 0 }
    }

    #expect(function.backoffs == [.milliseconds(100), .milliseconds(200)])
  }

  @Test @RunnerLoop func nothingWaitsAfterASuccess() async throws {
    let function = try ScriptedPool(
      "read -r line; [ -e mended ] || kill -KILL $$; \(ScriptedPool.answer); read -r line; kill -KILL $$")
    for _ in 1...3 { _ = await function.outcome() }
    try function.directory.write("", to: "mended")

    let mended = await function.outcome()
    let crashed = await function.outcome(id: "2")

    #expect(mended.code == "OK")
    #expect(crashed.code == "WORKER_CRASH")
    #expect(function.backoffs == [.milliseconds(100), .milliseconds(200)])
  }
}
