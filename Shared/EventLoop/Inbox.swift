/// What other threads hand to the loop, and whether the loop must be woken to see it.
struct Inbox {
  private var jobs: [UnownedJob] = []
  private var calls: [@Sendable () -> Void] = []
  private var isAsleep = false
  private(set) var isStopping = false

  var isEmpty: Bool { jobs.isEmpty && calls.isEmpty }

  /// Whether the loop must be woken.
  mutating func add(_ job: UnownedJob) -> Bool {
    jobs.append(job)
    return wake()
  }

  /// Whether the loop must be woken.
  mutating func add(_ call: @escaping @Sendable () -> Void) -> Bool {
    calls.append(call)
    return wake()
  }

  /// Whether the loop must be woken.
  mutating func stop() -> Bool {
    isStopping = true
    return wake()
  }

  /// Whether the loop may wait.
  ///
  /// From here until it takes the next batch, a caller that adds something must wake it.
  mutating func fallAsleep() -> Bool {
    isAsleep = isEmpty && !isStopping
    return isAsleep
  }

  /// Hands over what has arrived, and keeps the two empty arrays, so that their memory is used again.
  mutating func take(jobs: inout [UnownedJob], calls: inout [@Sendable () -> Void]) {
    isAsleep = false
    swap(&self.jobs, &jobs)
    swap(&self.calls, &calls)
  }

  private mutating func wake() -> Bool {
    defer { isAsleep = false }
    return isAsleep
  }
}
