package import FoundationEssentials
import FunctionKit
package import System

/// The domain's time as this runner knows it: the real one and the offset that `runner clock` has stored.
///
/// SQL asks `runner.now()`; this is for what happens between statements. Leases, time limits and back-off never use it.
@RunnerLoop
package final class VirtualClock {
  package init() {}

  /// What was read last.
  package private(set) var setting = ClockSetting()

  /// Told of the offset before anything runs by it.
  package var onSet: @RunnerLoop (Double) async -> Void = { _ in }

  /// Goes by a setting that was read.
  package func follow(_ setting: ClockSetting) async {
    await onSet(setting.offset)
    self.setting = setting
  }

  /// The domain's time.
  package var now: Date { .now.addingTimeInterval(setting.offset) }

  /// What an event says as its `now`: the time while the clock is a virtual one, else nothing.
  package var stamp: String? { setting.offset == 0 ? nil : RFC3339.string(now) }

  /// A real-time wait that ends when the domain's time is there.
  package func wait(until time: Date) -> Duration { .seconds(max(0, time.timeIntervalSince(now))) }
}

/// The row of `runner.clock`.
package struct ClockSetting: Equatable, Sendable {
  /// Seconds that the domain's time is ahead of the database's.
  package var offset = 0.0
}
