import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import System
@testable import Workers

/// Functions that share too few processes.
@Suite(.heavy)
@RunnerLoop
struct WorkerSlotsTests {
  private static let oneShot = "cat > /dev/null; echo $$"

  @Test(arguments: [FunctionEntry.Mode.warm, .oneshot])
  func allGetTheirTurnAndNeverMoreRunThanMay(_ mode: FunctionEntry.Mode) async throws {
    let slots = WorkerSlots(limit: 2)
    let script = mode == .warm ? ScriptedPool.answers : Self.oneShot
    let functions = try (0..<4).map { _ in try ScriptedPool(script, mode: mode, concurrency: 2, slots: slots) }
    var (most, ended) = (0, 0)
    for function in functions {
      for number in 0..<10 {
        function.submit(id: "\(number)") { outcome in
          #expect(outcome.code == "OK")
          most = max(most, functions.reduce(0) { $0 + $1.pool.processes })
          ended += 1
        }
      }
    }
    _ = try await Polling.wait(until: .now + .seconds(120)) { ended == 40 }

    #expect(ended == 40)
    #expect(most == 2)
    for function in functions { await function.close() }
    #expect(slots.taken == 0)
  }

  @Test func anIdleProcessLeavesForAnotherFunction() async throws {
    let slots = WorkerSlots(limit: 1)
    let (first, second) = (
      try ScriptedPool(ScriptedPool.answers, slots: slots), try ScriptedPool(ScriptedPool.answers, slots: slots)
    )
    _ = await first.outcome()

    #expect(await second.outcome().code == "OK")

    #expect((first.pool.processes, second.pool.processes) == (0, 1))
    #expect(await first.outcome().code == "OK")
    await first.close()
    await second.close()
  }

  @Test func whoIsNeverIdleGivesUpAProcessForOneThatHasNone() async throws {
    let slots = WorkerSlots(limit: 2)
    let busy = try ScriptedPool(ScriptedPool.answers, concurrency: 2, slots: slots)
    let other = try ScriptedPool(ScriptedPool.answers, slots: slots)
    var (isOver, handled) = (false, 0)
    @RunnerLoop func goOn(_ outcome: WorkerOutcome) {
      handled += 1
      if !isOver { busy.submit(then: goOn) }
    }
    for _ in 0..<64 { busy.submit(then: goOn) }
    _ = try await Polling.wait(until: .now + .seconds(120)) { handled > 100 }

    let outcome = await other.outcome()

    isOver = true
    #expect(outcome.code == "OK")
    // It did not only get the place of a process that was replaced for its age.
    #expect(handled < FunctionPool.recycledAfter)
    await busy.close()
    await other.close()
    #expect(slots.taken == 0)
  }

  @Test func aLongQueueDoesNotHoldUpAShortOne() async throws {
    let slots = WorkerSlots(limit: 1)
    let long = try ScriptedPool(Self.oneShot, mode: .oneshot, concurrency: 4, slots: slots)
    let short = try ScriptedPool(Self.oneShot, mode: .oneshot, concurrency: 4, slots: slots)
    var order = ""
    for _ in 0..<20 { long.submit { _ in order += "l" } }
    for _ in 0..<5 { short.submit { _ in order += "s" } }
    _ = try await Polling.wait(until: .now + .seconds(120)) { order.count == 25 }

    // They get one each in turn, after the two that were there first.
    #expect(order.hasPrefix("llslslslsl"))
    await long.close()
    await short.close()
  }

  @Test func whateverEndsAProcessItsSlotComesBackOnce() async throws {
    let slots = WorkerSlots(limit: 2)
    let scripts = ["kill -KILL $$", "exit 0", "sleep 1000", "yes", "read -r line; echo hello"]
    for script in scripts {
      for mode in [FunctionEntry.Mode.warm, .oneshot] {
        let function = try ScriptedPool(script, mode: mode, concurrency: 2, timeout: 1, slots: slots)
        _ = await function.outcome()
        _ = await function.outcome(isAlone: true)
        await function.close()
      }
    }
    let broken = try ScriptedPool("", slots: slots)
    try broken.directory.write("neither a script nor a program", to: "function", mode: 0o700)
    _ = await broken.outcome()

    #expect(slots.taken == 0)
  }

  @Test func moreMayRunWhenTheLimitIsRaised() async throws {
    let slots = WorkerSlots(limit: 1)
    let first = try ScriptedPool("read -r line; echo $$ > started; sleep 1000", slots: slots)
    let second = try ScriptedPool(ScriptedPool.answers, slots: slots)
    first.submit { _ in }
    _ = try await first.number(in: "started")
    async let outcome = second.outcome()
    _ = try await Polling.wait(until: .now + .seconds(120)) { second.pool.waiting == 1 }

    slots.limit = 2

    #expect(await outcome.code == "OK")
    await first.close(grace: .zero)
    await second.close()
  }
}
