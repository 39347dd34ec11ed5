import EventLoop

/// Something that one task waits for and anything on the loop rings; a ring before the wait is not lost.
@RunnerLoop
package final class Bell {
  private var rung = false
  private var waiting: CheckedContinuation<Void, Never>?

  package init() {}

  package func ring() {
    rung = true
    wakeUp()
  }

  /// Waits for a ring or for the time to pass.
  ///
  /// - Parameter orRing: without it, rings are kept for the next wait.
  package func wait(upTo limit: Duration, orRing: Bool = true) async {
    if orRing, rung {
      rung = false
      return
    }
    let timer = RunnerLoop.loop.schedule(after: limit) { [self] in wakeUp(always: true) }
    isListening = orRing
    await withCheckedContinuation { waiting = $0 }
    RunnerLoop.loop.cancel(timer)
    if orRing { rung = false }
  }

  private var isListening = true

  private func wakeUp(always: Bool = false) {
    guard always || isListening else { return }
    let continuation = waiting
    waiting = nil
    continuation?.resume()
  }
}
