import Glibc

/// Waits for a condition that no descriptor announces: checks it every 10 ms, until a deadline.
package enum Polling {
  /// Blocks the thread until the condition holds; `false` when the deadline came first.
  package static func block(until deadline: ContinuousClock.Instant, _ condition: () -> Bool) -> Bool {
    while !condition() {
      guard ContinuousClock.now < deadline else { return false }
      _ = poll(nil, 0, 10)
    }
    return true
  }

  /// Suspends the task until the condition holds; `false` when the deadline came first.
  package static func wait(until deadline: ContinuousClock.Instant, _ condition: () throws -> Bool) async throws -> Bool
  {
    while try !condition() {
      guard ContinuousClock.now < deadline else { return false }
      try await Task.sleep(for: .milliseconds(10))
    }
    return true
  }
}
