import Synchronization

/// A list of what happened, in order; from any thread.
final class Recorder<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  var values: [Value] { state.withLock { $0.values } }

  func add(_ value: Value) {
    let waiting = state.withLock { state in
      state.values.append(value)
      return state.waiting.take()
    }
    waiting?.resume()
  }

  func waitForFirst() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.values.isEmpty { state.waiting = continuation }
        return !state.values.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }
}
