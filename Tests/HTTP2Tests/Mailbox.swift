import Synchronization

/// Things that arrive, in order, for one test to wait for.
final class Mailbox<Item: Sendable>: Sendable {
  private struct State {
    var items: [Item] = []
    var waiting: [CheckedContinuation<Item, Never>] = []
  }

  private let state = Mutex(State())

  /// How many have arrived and were not taken.
  var count: Int { state.withLock { $0.items.count } }

  func put(_ item: Item) {
    let continuation: CheckedContinuation<Item, Never>? = state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.items.append(item)
      return nil
    }
    continuation?.resume(returning: item)
  }

  func next() async -> Item {
    await withCheckedContinuation { continuation in
      let item: Item? = state.withLock { state in
        guard state.items.isEmpty else { return state.items.removeFirst() }
        state.waiting.append(continuation)
        return nil
      }
      if let item { continuation.resume(returning: item) }
    }
  }

  func next(_ count: Int) async -> [Item] {
    var items: [Item] = []
    for _ in 0..<count { items.append(await next()) }
    return items
  }
}
