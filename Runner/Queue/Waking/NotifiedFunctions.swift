import FunctionKit
import Manifest
import System
import Workers

/// The notified functions that the runner has now.
@RunnerLoop
final class NotifiedFunctions {
  private(set) var all: [String: NotifiedFunction] = [:]
  /// The functions that are gone; one of them may still run.
  private var retired: [NotifiedFunction] = []
  /// The values that `functions.json` itself gives to each.
  private var settings: [String: [String: String]] = [:]
  private let clock: VirtualClock
  private let wakeUps: WakeUps
  private let log: Log

  init(clock: VirtualClock, wakeUps: WakeUps, log: Log) {
    (self.clock, self.wakeUps, self.log) = (clock, wakeUps, log)
  }

  var names: [String] { Array(all.keys) }

  var isIdle: Bool { all.values.allSatisfy(\.isIdle) }

  /// How many runs of those that are here have ended.
  var ended: Int { all.values.reduce(0) { $0 + $1.ended } }

  /// How many of them were asked for and are written down.
  var recorded: Int { all.values.reduce(0) { $0 + $1.recorded } }

  /// Sets up those among these functions that are notified, and stops all others.
  ///
  /// - Returns: those that may have work now: the new ones, and those to which `functions.json` gives other values.
  @discardableResult
  func use(_ pools: [String: FunctionPool]) -> [NotifiedFunction] {
    let wanted = pools.filter { $0.value.entry.triggers.contains(where: \.isNotify) }
    retired.removeAll(where: \.hasEnded)
    for (name, function) in all where wanted[name] == nil {
      function.stop()
      retired.append(function)
      all[name] = nil
    }
    let new = wanted.filter { all[$0.key] == nil }.mapValues {
      NotifiedFunction($0, clock: clock, wakeUps: wakeUps, log: log)
    }
    all.merge(new) { $1 }
    let former = settings
    settings = wanted.mapValues(\.entry.settings)
    return all.filter { settings[$0.key] != former[$0.key] }.map(\.value)
  }

  /// The database signals that there may be work for a function.
  func signal(_ name: String) { all[name]?.signal() }

  func stop() { all.values.forEach { $0.stop() } }

  /// Waits until everything is stored that runs asked for, after the last of them has ended.
  func finish() async { for function in Array(all.values) + retired { await function.finish() } }
}
