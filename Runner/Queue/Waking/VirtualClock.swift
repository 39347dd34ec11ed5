import FoundationEssentials
import FunctionKit
import System

/// The domain's time as this runner knows it: the real one and the offset that `runner clock` has stored.
///
/// SQL asks `runner.now()`; this is for what happens between statements. Leases, time limits and back-off never use it.
@RunnerLoop
final class VirtualClock {
  /// The setting that was read last.
  private(set) var setting = ClockSetting()
  private let onSet: @RunnerLoop (Double) async -> Void

  /// - Parameter onSet: told of the offset before anything runs by it.
  init(onSet: @escaping @RunnerLoop (Double) async -> Void) { self.onSet = onSet }

  /// Goes by a setting that was read.
  func follow(_ setting: ClockSetting) async {
    await onSet(setting.offset)
    self.setting = setting
  }

  /// The domain's time.
  var now: Date { .now.addingTimeInterval(setting.offset) }

  /// The `now` of an event: the time while the clock is virtual, otherwise `nil`.
  var stamp: String? { setting.offset == 0 ? nil : RFC3339.string(now) }

  /// A real-time wait that ends when the domain's time is there.
  func wait(until time: Date) -> Duration { .seconds(max(0, time.timeIntervalSince(now))) }
}

/// The row of `runner.clock`.
struct ClockSetting: Equatable, Sendable {
  /// Seconds that the domain's time is ahead of the database's.
  var offset = 0.0
}
