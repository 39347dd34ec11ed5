/// How long a request may take, and whether its task may end it.
struct Limit {
  var deadline: ContinuousClock.Instant?
  let isCancellable: Bool
  var isCancelled = false
  /// How often it may be extended while the server works.
  var extensions = 0

  init(after duration: Duration?, isCancellable: Bool = true) {
    deadline = duration.map { .now + $0 }
    self.isCancellable = isCancellable
  }

  /// The time left in milliseconds, rounded up; -1 for no limit.
  var pollTimeout: Int32 {
    guard let deadline else { return -1 }
    let left = ContinuousClock.Instant.now.duration(to: deadline)
    return left <= .zero ? 0 : Int32(clamping: left.milliseconds + 1)
  }
}

extension Duration {
  /// Whole milliseconds, and at least one, since the server takes 0 for "no limit".
  var milliseconds: Int64 {
    max(1, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}
