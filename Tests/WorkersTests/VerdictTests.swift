import RunnerTestSupport
import System
import TestSupport
import Testing

@testable import Manifest
@testable import Workers

/// A function's verdict on an event is the same in whatever way the event was started.
@Suite(.heavy)
@RunnerLoop
struct VerdictTests {
  /// What a process does when it has read its event, and what that means.
  struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: String
    let code: String

    init(_ name: String, _ script: String, _ code: String) {
      (testDescription, self.script, self.code) = (name, script, code)
    }
  }

  nonisolated static let ways = [
    Way("done", answer(#""exit":0"#), "OK"),
    Way("done, and a status besides", answer(#""exit":0"#) + "; exit 1", "OK"),
    Way("done, and goes on", answer(#""exit":0"#) + "; exec sleep 1000", "OK"),
    Way("the event is wrong", answer(#""exit":65"#), "INVALID_EVENT"),
    Way("the event is wrong, and the process ends well", answer(#""exit":65"#) + "; exit 0", "INVALID_EVENT"),
    Way("it has failed", answer(#""exit":1"#), "WORKER_ERROR"),
    Way("it has failed, without an id", #"echo '{"exit":1}'"#, "WORKER_ERROR"),
    Way("done, without an id", #"echo '{"exit":0}'"#, "INVALID_OUTPUT"),
    Way("another's answer", #"echo '{"id":"other","exit":0}'"#, "INVALID_OUTPUT"),
    Way("no exit status", #"echo '{"id":"1"}'"#, "INVALID_OUTPUT"),
    Way("no JSON", "echo done", "INVALID_OUTPUT"),
    Way("half a line", #"printf '{"id":"1","exit":0}'; exit 0"#, "INVALID_OUTPUT"),
    Way("silence", "exit 0", "INVALID_OUTPUT"),
    Way("silence, and a status", "exit 65", "INVALID_EVENT"),
    Way("silence, and another status", "exit 3", "WORKER_ERROR"),
    Way("a signal", "kill -KILL $$", "WORKER_CRASH"),
    Way("no answer in time", "exec sleep 1000", "WORKER_TIMEOUT"),
  ]

  nonisolated private static func answer(_ members: String) -> String { #"echo '{"id":"1",\#(members)}'"# }

  @Test(arguments: ways) func isTheSameAmongOthersAndAlone(_ way: Way) async throws {
    for batch in [nil, 4] {
      let timeout = way.code == "WORKER_TIMEOUT" ? 1 : 300
      let function = try ScriptedPool(
        "read -r line; \(way.script)\ncat > /dev/null", concurrency: 2, timeout: timeout, batch: batch)

      let (stream, alone) = (await function.outcome(), await function.outcome(isAlone: true))

      #expect(stream.code == way.code && alone.code == way.code, "\(stream) \(alone)")
      await function.close()
    }
  }
}
