import Manifest
import RunnerTestSupport
import System
import TestSupport
import Testing

@testable import Workers

/// A function's verdict on an event is the same in whatever way the event was started.
@Suite(.heavy)
@RunnerLoop
struct VerdictTests {
  private func limit(_ code: String) -> Int { code == "WORKER_TIMEOUT" ? 1 : 300 }

  @Test(arguments: WayToAnswer.all) func isTheSameAmongOthersAndAlone(_ way: WayToAnswer) async throws {
    for batch in [nil, 4] {
      let function = try ScriptedPool(way.script(), concurrency: 2, timeout: limit(way.stream), batch: batch)

      let (stream, alone) = (await function.outcome(), await function.outcome(isAlone: true))

      #expect(stream.code == way.stream && alone.code == way.stream, "\(stream) \(alone)")
      await function.close()
    }
  }

  @Test(arguments: WayToAnswer.all) func isTheExitStatusOfAProcessForOneEvent(_ way: WayToAnswer) async throws {
    let function = try ScriptedPool(way.script(), mode: .oneshot, timeout: limit(way.oneShot))

    let (first, alone) = (await function.outcome(), await function.outcome(isAlone: true))

    #expect(first.code == way.oneShot && alone.code == way.oneShot, "\(first) \(alone)")
    await function.close()
  }

  @Test func theResultIsTheOneInTheAnswer() async throws {
    let script = #"read -r line; echo '{"id":"1","exit":0,"result":7}'"#
    for mode in [FunctionEntry.Mode.warm, .oneshot] {
      let function = try ScriptedPool(script, mode: mode, concurrency: 2)

      #expect(await function.outcome().number == 7)
      #expect(await function.outcome(isAlone: true).number == 7)
      await function.close()
    }
  }
}
