import Glibc
import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import System
@testable import Workers

/// The things that a process for one event is given, and those that are taken from it.
@Suite(.heavy)
@RunnerLoop
struct OneShotTests {
  /// Runs a script once.
  private func outcome(_ script: String, size: Int = 0) async throws -> (outcome: WorkerOutcome, stderr: [String]) {
    let function = try ScriptedPool(script, mode: .oneshot)
    let outcome = await function.outcome(size: size)
    await function.close()
    return (outcome, function.stderr.all)
  }

  // A pipe holds 64 KiB.
  @Test(arguments: [0, 60_000, 65_536, 1_000_000])
  func itReadsTheWholeEventAndItsEnd(_ size: Int) async throws {
    #expect(try await outcome("wc -c", size: size).outcome.number == size + #"{"id":"1","data":""}"#.utf8.count + 1)
  }

  @Test func itMayWriteMoreThanAPipeHolds() async throws {
    let flood = "head -c 200000 /dev/zero | tr '\\0' ' '"

    let (outcome, stderr) = try await outcome("\(flood) >&2; \(flood); sleep 0.2; \(flood); echo 7; \(flood) >&2")

    #expect(outcome.number == 7)
    #expect(!stderr.isEmpty)
  }

  /// The moments before and after its outputs are watched.
  @Test(arguments: ["", "sleep 0.3;"])
  func itsWordsArePassedOnWhileItRuns(_ pause: String) async throws {
    let function = try ScriptedPool(
      "\(pause) echo hello >&2; until [ -e seen ]; do sleep 0.01; done; echo 7", mode: .oneshot)
    async let outcome = function.outcome()

    #expect(try await Polling.wait(until: .now + .seconds(120)) { function.stderr.all == ["hello"] })
    try function.directory.write("", to: "seen")

    #expect(await outcome.number == 7)
  }

  /// The runner stops, and asks it to end.
  @Test(arguments: [
    ("", "RUNNER_STOPPING"), ("trap 'exit 0' TERM;", "RUNNER_STOPPING"), ("trap 'exit 65' TERM;", "RUNNER_STOPPING"),
    ("trap 'echo 7; exit 0' TERM;", "OK"),
  ])
  func whatIsBrokenOffIsDoneOnlyWithAnAnswer(_ trap: String, _ code: String) async throws {
    let function = try ScriptedPool("\(trap) : > begun; while :; do sleep 0.01; done", mode: .oneshot)
    async let outcome = function.outcome()
    _ = try await Polling.wait(until: .now + .seconds(120)) { function.file("begun") != nil }

    function.pool.breakOff()

    #expect(await outcome.code == code)
    // Also what comes later is not started any more.
    #expect(await function.outcome().code == "RUNNER_STOPPING")
    #expect(function.pool.processes == 0)
  }

  @Test func itMayCloseItsOutputsAndGoOn() async throws {
    let function = try ScriptedPool("echo 7; exec >&- 2>&-; sleep 0.3; : > done; exit 3", mode: .oneshot)

    let outcome = await function.outcome()

    #expect(outcome.code == "WORKER_ERROR")
    #expect(function.file("done") != nil)
  }

  @Test func itStartsWithNoSignalIgnoredOrBlocked() async throws {
    // The pool of a test has SIGPIPE ignored in this process, as the runner has.
    let (_, stderr) = try await outcome("grep -E 'Sig(Blk|Ign)' /proc/self/status >&2")

    let sets = stderr.map { UInt64($0.split(separator: "\t").last ?? "", radix: 16) ?? .max }
    // The C library keeps signals 32 and 33 for itself.
    #expect(sets.map { $0 & 0x7FFF_FFFF } == [0, 0])
  }

  @Test func itHasNothingOpenButItsStreams() async throws {
    // Not closed on exec, as a library or the parent of the runner might have left it.
    let forgotten = open("/dev/null", O_RDONLY)
    defer { close(forgotten) }

    let (_, stderr) = try await outcome("ls /proc/self/fd >&2")

    // The last one is the folder that is being listed.
    #expect(stderr == ["0", "1", "2", "3"])
  }
}
