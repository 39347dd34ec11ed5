import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import System
@testable import Workers

/// A function's reports of its progress, in all the ways in which it may end.
@Suite(.heavy)
@RunnerLoop
struct ProgressTests {
  private static let report = #"printf '{"progress":3,"event.id":"1"}\n{"progress":7}\n{"progress":5}\n' >&2"#

  @Test(arguments: [
    "kill -KILL $$", "exit 1", #"printf '{"id":"1","exit":75}\n'; sleep 1000"#, "sleep 1000",
    "echo garbage; sleep 1000",
  ])
  func aWarmProcessIsHeardHoweverItEnds(ending: String) async throws {
    let function = try ScriptedPool("read -r line; \(Self.report); \(ending)", timeout: 2)

    #expect(await function.outcome().progress == 7)
    await function.close(grace: .zero)
  }

  @Test(arguments: ["kill -KILL $$", "exit 1", "echo 1", "sleep 1000"])
  func aProcessForOneEventIsHeardHoweverItEnds(ending: String) async throws {
    let function = try ScriptedPool("\(Self.report); \(ending)", mode: .oneshot, timeout: 2)

    #expect(await function.outcome().progress == 7)
    await function.close(grace: .zero)
  }

  @Test func itIsHeardBehindAnyFlood() async throws {
    let function = try ScriptedPool(
      "yes 'a line' | head -n 100000 >&2; \(Self.report); yes | head -n 100000 >&2; kill -KILL $$", mode: .oneshot)

    #expect(await function.outcome().progress == 7)
    await function.close()
  }

  @Test func itIsOfOneEventAlone() async throws {
    let function = try ScriptedPool(
      """
      read -r line; printf '{"progress":7}\\n' >&2; \(ScriptedPool.answer)
      read -r line; printf '{"progress":9,"event.id":"1"}\\n{"progress":2,"event.id":"2"}\\n' >&2; kill -KILL $$
      """)

    let first = await function.outcome(id: "1")
    let second = await function.outcome(id: "2")

    #expect(first.code == "OK" && second.code == "WORKER_CRASH" && second.progress == 2)
    await function.close()
  }

  @Test(arguments: [
    #"{"progress":"7"}"#, #"{"progress":7.5}"#, #"{"progress":99999999999999999999}"#, #"{"progress":-7}"#,
    #"{"message":"\"progress\":7"}"#, #"{"a":{"progress":7}}"#, #""progress":7"#, #"{"progress":7"#,
  ])
  func nothingElseIsTakenForIt(line: String) async throws {
    let function = try ScriptedPool("printf '%s\\n' '\(line)' >&2; kill -KILL $$", mode: .oneshot)

    #expect(await function.outcome().progress == 0)
    await function.close()
  }
}
