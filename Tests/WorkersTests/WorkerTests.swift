import Glibc
import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import System
@testable import Workers

/// The fate of an event when its function does what a function should not do.
@Suite(.heavy)
@RunnerLoop
struct WorkerTests {
  /// A function that does one thing wrong, in one mode, and the outcome.
  struct Fault: Sendable, CustomStringConvertible {
    let description: String
    var mode = FunctionEntry.Mode.warm
    var size = 0
    let script: String
    let code: String

    static func both(_ description: String, size: Int = 0, _ script: String, _ code: String) -> [Fault] {
      [FunctionEntry.Mode.warm, .oneshot].map {
        Fault(description: "\(description), \($0)", mode: $0, size: size, script: script, code: code)
      }
    }

    static func warm(_ description: String, _ script: String, _ code: String) -> [Fault] {
      [Fault(description: description, script: "read -r line; \(script)", code: code)]
    }

    static func oneShot(_ description: String, _ script: String, _ code: String) -> [Fault] {
      [Fault(description: description, mode: .oneshot, script: script, code: code)]
    }
  }

  nonisolated static let faults: [Fault] = [
    Fault.both("is killed", "read -r line; kill -KILL $$", "WORKER_CRASH"),
    Fault.both("fails", "read -r line; exit 3", "WORKER_ERROR"),
    Fault.both("writes without end", "yes 1234567", "INVALID_OUTPUT"),
    Fault.both("writes a line without end", "yes 1234567 | tr -d '\\n'", "INVALID_OUTPUT"),
    Fault.both("never reads its large event", size: 1 << 20, "sleep 1000", "WORKER_TIMEOUT"),
    Fault.both("closes its streams", "read -r line; exec <&- >&- 2>&-; sleep 1000", "WORKER_TIMEOUT"),
    Fault.both("ignores TERM", "trap '' TERM; while :; do sleep 1000; done", "WORKER_TIMEOUT"),
    Fault.warm("ends without answering", "exit 0", "INVALID_OUTPUT"),
    Fault.warm("answers with another id", #"printf '{"id":"2","exit":0}\n'; cat"#, "INVALID_OUTPUT"),
    Fault.warm("does not say what it has handled", #"printf '{"exit":0}\n'; cat"#, "INVALID_OUTPUT"),
    Fault.warm("cannot tell what it was given", #"printf '{"id":null,"exit":65}\n'; cat"#, "INVALID_EVENT"),
    Fault.warm("answers without JSON", "echo hello; cat", "INVALID_OUTPUT"),
    Fault.warm("answers beside UTF-8", #"printf '{"id":"1","exit":0,"result":"\377"}\n'; cat"#, "INVALID_OUTPUT"),
    Fault.oneShot("answers beside UTF-8", #"printf '"\377"'"#, "INVALID_OUTPUT"),
    Fault.oneShot("has nothing to say", "exit 0", "OK"),
    Fault.oneShot("answers without reading", "echo '{}'", "OK"),
  ].flatMap { $0 }

  @Test(arguments: faults) func everyFaultHasItsCode(_ fault: Fault) async throws {
    let function = try ScriptedPool(fault.script, mode: fault.mode, timeout: fault.code == "WORKER_TIMEOUT" ? 1 : 120)

    let outcome = await function.outcome(size: fault.size)

    #expect(outcome.code == fault.code)
    await function.close()
    #expect(function.pool.processes == 0)
  }

  @Test func whatIsNoProgramCannotBeStarted() async throws {
    let function = try ScriptedPool("")
    try function.directory.write("neither a script nor a program", to: "function", mode: 0o700)

    let outcome = await function.outcome()

    #expect(outcome.code == "BOOT_ERROR")
    #expect(outcome.disposition == .pause)
  }

  @Test func whatIsJustBeingWrittenIsStartedWhenItIsDone() async throws {
    let function = try ScriptedPool("cat > /dev/null; echo 7", mode: .oneshot)
    let writer = open("\(function.directory.path)/function", O_WRONLY | O_CLOEXEC)
    async let outcome = function.outcome()
    _ = try await Polling.wait(until: .now + .seconds(120)) { function.pool.waiting == 1 }

    close(writer)

    #expect(await outcome.number == 7)
  }

  @Test func answeringTwiceHarmsNoOtherEvent() async throws {
    let function = try ScriptedPool(
      #"while read -r line; do \#(ScriptedPool.answer); echo "{\"id\":\"$id\",\"exit\":0}"; done"#)

    let outcomes = await function.outcomes(8)

    #expect(outcomes.map(\.code) == Array(repeating: "OK", count: 8))
    // Each was answered by its own answer: the second one has no result.
    #expect(outcomes.allSatisfy { $0.number != nil })
    await function.close()
  }

  @Test func aCrashCountsAgainstTheFirstInTheLineOnly() async throws {
    let function = try ScriptedPool(
      #"while read -r line; do case $line in *'"id":"3"'*) kill -SEGV $$ ;; esac; \#(ScriptedPool.answer); done"#)

    let outcomes = await function.outcomes(10)

    #expect(outcomes.count { $0.code == "WORKER_CRASH" } == 1)
    #expect(outcomes.count { $0.code == "OK" } == 9)
    await function.close()
  }

  @Test func aProcessThatCrashesWhileItLeavesIsBlamedOnItsEvent() async throws {
    let function = try ScriptedPool("read -r line; echo $$ > started; read -r line; kill -KILL $$")
    async let outcome = function.outcome()
    _ = try await function.number(in: "started")

    async let closed: Void = function.close()

    #expect(await outcome.code == "WORKER_CRASH")
    await closed
  }

  /// As when a connection that all of them use has fallen silent.
  @Test func whenOneHangsNoOtherOfItsProcessesGetsAnotherEvent() async throws {
    // Each answers its first event only.
    let function = try ScriptedPool(
      "read -r line; \(ScriptedPool.answer); read -r line; while :; do sleep 1000; done", concurrency: 2, timeout: 2)
    let first = await function.outcomes(2)
    #expect(Set(first.compactMap(\.number)).count == 2)

    let late = await function.outcome(id: "late")
    let next = await function.outcome(id: "next")

    #expect(late.code == "WORKER_TIMEOUT")
    #expect(next.code == "OK")
    #expect(!first.contains { $0.number == next.number })
    await function.close()
  }

  @Test func oneThatNeverReadsDoesNotHoldUpOthers() async throws {
    let deaf = try ScriptedPool("sleep 1000", timeout: 2)
    let other = try ScriptedPool(ScriptedPool.answers)
    async let late = deaf.outcome(size: 1 << 20)

    let outcomes = await other.outcomes(50)

    #expect(outcomes.allSatisfy { $0.code == "OK" })
    #expect(deaf.pool.load == 1)
    #expect(await late.code == "WORKER_TIMEOUT")
    await deaf.close()
    await other.close()
  }

  @Test func fewBytesAreWrittenAhead() async throws {
    let deaf = try ScriptedPool("sleep 1000")
    for number in 0..<WarmWorker.window { deaf.submit(id: "\(number)", size: 600_000) { _ in } }

    #expect(deaf.pool.processes == 1)
    #expect(deaf.pool.waiting == WarmWorker.window - 2)
    await deaf.close(grace: .zero)
  }

  @Test func aFloodOfShortLinesIsCut() async throws {
    let function = try ScriptedPool("yes '' | head -n 1000000 >&2; echo 1", mode: .oneshot)

    let outcome = await function.outcome()

    #expect(outcome.number == 1)
    #expect(function.stderr.all.count <= StderrRelay.mostPerInvocation / StderrRelay.leastPerLine + 1)
    #expect(function.stderr.all.last == "… more on stderr is left out")
  }

  @Test func eventsAreDiscardedWithoutAProcessAndNotInsideTheCall() async throws {
    let function = try ScriptedPool("echo $$ > started", mode: .discard)
    var ended = 0
    for _ in 0..<1_000 {
      function.submit {
        ended += 1
        #expect($0.code == "OK")
      }
    }

    #expect(ended == 0)
    #expect(function.pool.load == 1_000)
    _ = await function.outcome()

    #expect(ended == 1_000)
    #expect(function.pool.load == 0)
    #expect(function.file("started") == nil)
  }

  @Test func functionsGetNothingButTheirOwnEntries() async throws {
    let function = try ScriptedPool("cat > /dev/null; tr '\\0' '\\n' < /proc/$$/environ > environment", mode: .oneshot)

    _ = await function.outcome()

    #expect(function.file("environment") == "PATH=/usr/bin:/bin\n")
  }
}
