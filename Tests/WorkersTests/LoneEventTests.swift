import RunnerTestSupport
import TestSupport
import Testing

@testable import System
@testable import Workers

/// Events that may end their process, and therefore get one of their own.
@Suite(.heavy)
@RunnerLoop
struct LoneEventTests {
  /// Notes which process has the lone event, and when another process of the function runs beside it.
  private static let script = """
    mkdir lock || echo $$ >> overlaps
    trap 'rmdir lock; exit 0' TERM EXIT
    \(whenAlone("echo $$ >> alone"))
    """

  /// Answers every event, and does something before it answers the one with the id `alone`.
  private static func whenAlone(_ act: String) -> String {
    #"while read -r line; do case $line in *'"alone"'*) \#(act) ;; esac; \#(ScriptedPool.answer); done"#
  }

  @Test func aLoneEventGetsAProcessThatNoOtherEventIsIn() async throws {
    let function = try ScriptedPool(Self.script)
    let before = await function.outcome()

    let lone = await function.outcome(id: "alone", isAlone: true)
    let after = await function.outcome()

    #expect([before, lone, after].map(\.code) == ["OK", "OK", "OK"])
    #expect(Set([before, lone, after].map(\.number)).count == 3)
    #expect(function.file("alone") == lone.number.map { "\($0)\n" })
    #expect(function.file("overlaps") == nil)
    await function.close()
  }

  @Test func aLoneEventIsNotKeptWaitingByTheOthers() async throws {
    let function = try ScriptedPool(Self.script)
    var isOver = false
    @RunnerLoop func goOn(_ outcome: WorkerOutcome) {
      if !isOver { function.submit(then: goOn) }
    }
    for _ in 0..<32 { function.submit(then: goOn) }

    let lone = await function.outcome(id: "alone", isAlone: true)

    isOver = true
    #expect(lone.code == "OK")
    #expect(function.file("overlaps") == nil)
    await function.close()
  }

  @Test func aLoneEventThatCrashesTakesNobodyWithIt() async throws {
    let function = try ScriptedPool(Self.whenAlone("kill -KILL $$"), concurrency: 2)
    async let others = function.outcomes(20)

    let lone = await function.outcome(id: "alone", isAlone: true)

    #expect(lone.code == "WORKER_CRASH")
    #expect(await others.allSatisfy { $0.code == "OK" })
    await function.close()
  }
}
