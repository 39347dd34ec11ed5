/// When the next process may be started: later and later while they die one after the other.
package struct RestartBackoff {
  static let first = Duration.milliseconds(100)
  package static let longest = Duration.seconds(30)

  private var deaths = 0
  private var lastDeath: ContinuousClock.Instant?
  private var earliest: ContinuousClock.Instant?

  package init() {}

  /// The pause before each start: none after one death.
  package var delay: Duration { deaths < 2 ? .zero : min(Self.longest, Self.first * (1 << min(deaths - 2, 10))) }

  /// How long no process may be started, `nil` when one may be now.
  func wait(at now: ContinuousClock.Instant) -> Duration? {
    earliest.flatMap { $0 > now ? $0 - now : nil }
  }

  /// A process was started; while the back-off lasts, the next one waits as well.
  mutating func started(at now: ContinuousClock.Instant) {
    if delay > .zero { earliest = now + delay }
  }

  /// A process ended though nobody asked it, or could not be started.
  ///
  /// Processes that ran side by side and die together count once.
  /// - Parameter start: when it was started.
  /// - Returns: whether the pause has grown.
  package mutating func died(startedAt start: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Bool {
    let before = delay
    if lastDeath.map({ start >= $0 }) ?? true { deaths += 1 }
    lastDeath = now
    earliest = now + delay
    return delay > before
  }

  /// A process has done its work.
  package mutating func succeeded() {
    if deaths > 0 { self = RestartBackoff() }
  }
}
