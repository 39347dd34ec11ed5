import EventLoop

/// One task waits for it, and anything on the loop may signal it.
///
/// A signal before the wait is not lost.
@RunnerLoop
package final class WakeUp {
  private var isSignalled = false
  private var waiting: CheckedContinuation<Void, Never>?

  package init() {}

  package func signal() {
    isSignalled = true
    resume()
  }

  /// Waits for a signal, at most for this time.
  ///
  /// - Parameter orSignal: if `false`, a signal does not end this wait, but the next one.
  package func wait(upTo limit: Duration, orSignal: Bool = true) async {
    if orSignal, isSignalled {
      isSignalled = false
      return
    }
    let timer = RunnerLoop.loop.schedule(after: limit) { [self] in resume(always: true) }
    isListening = orSignal
    await withCheckedContinuation { waiting = $0 }
    RunnerLoop.loop.cancel(timer)
    if orSignal { isSignalled = false }
  }

  private var isListening = true

  /// Waits for a signal without a limit; a cancelled task waits no longer.
  package func wait() async {
    await withTaskCancellationHandler {
      guard !isSignalled, !Task.isCancelled else { return }
      isListening = true
      await withCheckedContinuation { waiting = $0 }
    } onCancel: {
      Task { @RunnerLoop in resume(always: true) }
    }
    isSignalled = false
  }

  private func resume(always: Bool = false) {
    guard always || isListening else { return }
    let continuation = waiting
    waiting = nil
    continuation?.resume()
  }
}
