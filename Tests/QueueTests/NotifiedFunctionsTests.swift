import FunctionKit
import Postgres
import RunnerTestSupport
import Testing
import Workers

@testable import Manifest
@testable import Queue
@testable import System

/// Which notified functions run when `functions.json` was loaded again.
@RunnerLoop
struct NotifiedFunctionsTests {
  @Test func onlyANewFunctionAndOneWithOtherSettingsIsRun() throws {
    let script = try ScriptedPool(
      "cat >/dev/null", mode: .oneshot, triggers: [.notify(NotifyTrigger(table: "t"))])
    let nowhere = Connection(url: "postgresql://127.0.0.1:1/nowhere", applicationName: "test")
    let functions = NotifiedFunctions(
      clock: VirtualClock { _ in }, wakeUps: WakeUps(database: nowhere), log: Log { _ in })
    let pools = ["function": script.pool]

    let new = functions.use(pools).count
    let same = functions.use(pools).count
    var entry = script.pool.entry
    entry.settings = ["RULES": "[]"]
    script.pool.use(entry, launch: ScriptedPool.launch(in: script.directory))
    let changed = functions.use(pools).count
    let again = functions.use(pools).count

    #expect([new, same, changed, again] == [1, 0, 1, 0])
    functions.stop()
  }
}
