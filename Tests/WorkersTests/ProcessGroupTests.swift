import Glibc
import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import System
@testable import Workers

/// The processes that a function started end with it.
@Suite(.heavy)
@RunnerLoop
struct ProcessGroupTests {
  /// Starts a grandchild that ignores TERM and says its number, then goes on as told.
  private nonisolated static func parent(of grandchild: String, _ rest: String) -> String {
    """
    read -r line
    sh -c 'trap "" TERM; echo $$ > grandchild; \(grandchild)' &
    \(rest)
    """
  }

  @Test(
    arguments: [FunctionEntry.Mode.warm, .oneshot],
    [
      // Ends at TERM, and leaves its grandchild behind.
      parent(of: "while :; do sleep 1000; done", "wait"),
      // Ignores TERM as well.
      "trap '' TERM\n" + parent(of: "while :; do sleep 1000; done", "while :; do sleep 1000; done"),
      // Neither of them holds a stream of the function.
      parent(of: "exec <&- >&- 2>&-; while :; do sleep 1000; done", "exec <&- >&- 2>&-; wait"),
    ])
  func aTimeOutEndsTheWholeGroup(_ mode: FunctionEntry.Mode, _ script: String) async throws {
    let function = try ScriptedPool(script, mode: mode, timeout: 2)

    let outcome = await function.outcome()

    #expect(outcome.code == "WORKER_TIMEOUT")
    let grandchild = try await function.number(in: "grandchild")
    #expect(grandchild > 0)
    #expect(await hasEnded(grandchild))
    await function.close()
  }

  /// Ways to leave the group; each child writes its number.
  nonisolated static let escapes = [
    "setsid sh -c 'echo $$ >> escaped; exec sleep 1000' &",
    // Its parent ends at once.
    "(setsid sh -c 'echo $$ >> escaped; exec sleep 1000' &)",
    // It ignores TERM, and only its descent connects it with the function.
    "(env -i setsid sh -c 'trap \"\" TERM; cd /; echo $$ >> $0; while :; do sleep 1000; done' $PWD/escaped <&- >&- 2>&- &)",
    // A child of the child, in another session again.
    "setsid sh -c 'setsid sh -c \"echo \\$\\$ >> escaped; sleep 1000\" & wait' &",
  ]

  @Test(arguments: [FunctionEntry.Mode.warm, .oneshot], escapes)
  func aTimeOutEndsWhatHasASessionOfItsOwn(_ mode: FunctionEntry.Mode, _ escape: String) async throws {
    let function = try ScriptedPool(
      "read -r line; \(escape)\nuntil [ -s escaped ]; do sleep 0.01; done; while :; do sleep 1000; done", mode: mode,
      timeout: 2)

    let outcome = await function.outcome()

    #expect(outcome.code == "WORKER_TIMEOUT")
    #expect(await hasEnded(try await function.number(in: "escaped")))
    await function.close()
  }

  @Test func whatAFunctionLeftRunningEndsWithIt() async throws {
    let function = try ScriptedPool(
      Self.parent(of: "while :; do sleep 1000; done", "until [ -s grandchild ]; do sleep 0.01; done; echo 7"),
      mode: .oneshot)

    let outcome = await function.outcome()

    #expect(outcome.number == 7)
    #expect(await hasEnded(try await function.number(in: "grandchild")))
  }

  @Test func oneThatLeftTheGroupHoldsUpNoAnswer() async throws {
    let function = try ScriptedPool(
      "setsid sh -c 'echo $$ > escaped; exec sleep 1000' & until [ -s escaped ]; do sleep 0.01; done; echo 7",
      mode: .oneshot)

    let outcome = await function.outcome()

    #expect(outcome.number == 7)
    kill(try await function.number(in: "escaped"), SIGKILL)
  }

  /// Whether it has ended; a zombie that nobody has waited for counts as ended.
  @concurrent private func hasEnded(_ process: pid_t) async -> Bool {
    waitForEnd(of: process, atMost: .seconds(120))
  }
}
