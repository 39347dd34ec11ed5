import CLinux
import Glibc
import Testing

@testable import System

/// Work that blocks, and the loop meanwhile.
@RunnerLoop
struct BlockingThreadTests {
  @Test func theLoopGoesOnWhileACallBlocks() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe2(&ends, O_CLOEXEC) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { ends.forEach { close($0) } }
    let answer = Task {
      await BlockingThread.run {
        var byte: UInt8 = 0
        return read(reading, &byte, 1) == 1 ? byte : 0
      }
    }

    await Task.yield()
    var byte: UInt8 = 7
    try #require(write(writing, &byte, 1) == 1)

    #expect(await answer.value == 7)
  }

  @Test func anErrorOfACallIsItsCallers() async {
    await #expect(throws: SystemError.self) {
      try await BlockingThread.run { () throws(SystemError) in throw SystemError("read", code: EIO) }
    }
  }
}

/// Waiting for a signal, without a limit.
@RunnerLoop
struct WakeUpTests {
  @Test func aSignalBeforeTheWaitIsNotLost() async {
    let wakeUp = WakeUp()

    wakeUp.signal()

    await wakeUp.wait()
  }

  @Test func aSignalEndsTheWait() async {
    let wakeUp = WakeUp()
    let wait = Task { await wakeUp.wait() }
    await Task.yield()

    wakeUp.signal()

    await wait.value
  }

  @Test(arguments: [true, false]) func aCancelledTaskWaitsNoLonger(waitsAlready: Bool) async {
    let wait = Task { await WakeUp().wait() }
    if waitsAlready { await Task.yield() }

    wait.cancel()

    await wait.value
  }
}
