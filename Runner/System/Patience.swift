import Glibc

/// Waiting for what no descriptor announces: a condition looked at every 10 ms, up to a deadline.
package enum Patience {
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
