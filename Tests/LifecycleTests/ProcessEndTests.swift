import EventLoop
import Glibc
import RunnerTestSupport
import TestSupport
import Testing

@testable import Lifecycle
@testable import System

/// The end of a process is reported, and nobody looks for it.
@RunnerLoop
struct ProcessEndTests {
  private func isRunning(_ process: ObservedProcess) -> Bool { !ProcessTable.words(of: process.id).isEmpty }

  @Test func theWaitEndsWithTheProcessAndNotBefore() async throws {
    let process = try ObservedProcess(["/bin/cat"])
    RunnerLoop.loop.schedule(after: .milliseconds(20)) { kill(process.id, SIGKILL) }

    await ProcessEnd.reached(by: process.id)

    #expect(!isRunning(process))
  }

  @Test func aProcessThatHasEndedAndWasNotReapedIsNotWaitedFor() async throws {
    let process = try ObservedProcess(["/bin/cat"])
    kill(process.id, SIGKILL)
    await ProcessEnd.reached(by: process.id)

    await ProcessEnd.reached(by: process.id)

    #expect(!isRunning(process))
  }

  @Test func aCancelledTaskIsToldTheStatus() async throws {
    let process = try SessionProcess.start(["/bin/sh", "-c", "trap 'exit 7' TERM; kill -TERM $$; exit 1"])
    let waiting = Task { await ProcessEnd.status(of: process) }

    waiting.cancel()

    #expect(await waiting.value == 7)
  }

  @Test func aCancelledTaskWaitsNoLonger() async throws {
    let process = try ObservedProcess(["/bin/cat"])
    let waiting = Task { await ProcessEnd.reached(by: process.id) }

    waiting.cancel()
    await waiting.value

    #expect(isRunning(process))
  }
}
