/// Counts of the queue and what happened in the last hour, as the runner knew them a moment ago.
package struct PulseReading: Sendable, Equatable {
  /// Seconds between two values of a series.
  package static let interval = 10
  /// The values of an hour.
  package static let length = 360
  /// The most that is counted in a table of the queue.
  package static let most = 100_000

  /// One function's events.
  package struct Function: Sendable, Equatable {
    /// How many stand in the queue, be it waiting or running.
    package var waiting = 0
    /// How many failed and will be tried again.
    package var retrying = 0
    package var dead = 0
    /// Invocations that have ended, by intervals, the oldest first.
    package var ended: [Int] = []
    /// How many of them failed.
    package var failed: [Int] = []
    /// How many waited in this runner.
    package var queued: [Int] = []

    package init() {}

    /// Invocations a second over the last minutes.
    package func rate(minutes: Int) -> Double {
      let recent = ended.suffix(minutes * 60 / PulseReading.interval)
      return recent.isEmpty ? 0 : Double(recent.reduce(0, +)) / Double(recent.count * PulseReading.interval)
    }
  }

  package var functions: [String: Function] = [:]
  /// Why the counts could not be read; `nil` if they were.
  package var problem: String?

  package init() {}

  package var waiting: Int { functions.values.reduce(0) { $0 + $1.waiting } }
  package var retrying: Int { functions.values.reduce(0) { $0 + $1.retrying } }
  package var dead: Int { functions.values.reduce(0) { $0 + $1.dead } }
}
