import Synchronization

/// The right to use the session; it belongs to one request or one transaction at a time.
struct Turn: Hashable, Sendable {
  /// The turns that the current task holds, of any connection.
  @TaskLocal static var held: [Turn] = []

  private static let counter = Atomic<UInt64>(0)
  private let number = Turn.counter.add(1, ordering: .relaxed).newValue
}

/// Grants turns in the order of asking.
///
/// An actor alone does not protect a transaction. While the body awaits between two statements, the actor is free for
/// other requests.
final class TurnQueue: Sendable {
  private struct State {
    var holder: Turn?
    var waiting: [(turn: Turn, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state = Mutex(State())

  var holder: Turn? { state.withLock { $0.holder } }

  /// Waits for a turn; nil when the task is cancelled before it comes.
  func take() async -> Turn? {
    let turn = Turn()
    let isFree = state.withLock { state in
      guard state.holder == nil else { return false }
      state.holder = turn
      return true
    }
    if isFree { return turn }

    let isGranted = await withTaskCancellationHandler {
      await withCheckedContinuation { wait(for: turn, $0) }
    } onCancel: {
      abandon(turn)
    }
    return isGranted ? turn : nil
  }

  /// Passes the turn on to the next in the queue.
  func end(_ turn: Turn) {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard state.holder == turn else { return nil }
      guard !state.waiting.isEmpty else {
        state.holder = nil
        return nil
      }
      let next = state.waiting.removeFirst()
      state.holder = next.turn
      return next.continuation
    }
    next?.resume(returning: true)
  }

  private func wait(for turn: Turn, _ continuation: CheckedContinuation<Bool, Never>) {
    let answer = state.withLock { state -> Bool? in
      if Task.isCancelled { return false }
      guard state.holder != nil else {
        state.holder = turn
        return true
      }
      state.waiting.append((turn, continuation))
      return nil
    }
    if let answer { continuation.resume(returning: answer) }
  }

  /// The cancellation may come before the turn waits.
  ///
  /// Then `wait(for:)` sees it, because it uses the same lock.
  private func abandon(_ turn: Turn) {
    let abandoned = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let index = state.waiting.firstIndex(where: { $0.turn == turn }) else { return nil }
      return state.waiting.remove(at: index).continuation
    }
    abandoned?.resume(returning: false)
  }
}
