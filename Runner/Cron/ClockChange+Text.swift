package import TimeZones

extension CronSchedule.ClockChange {
  /// A few words about a fire at that local time.
  package func text(_ local: CivilTime) -> String {
    switch self {
    case .madeUp(let skipped, let isOwnTime):
      "\(isOwnTime ? "and " : "")in place of \(skipped.map(\.clock).joined(separator: ", ")), which the clock skips"
    case .firstOfTwo(firesAgain: false):
      "the clock shows \(local.clock) twice; this is the first, the second is left out"
    case .firstOfTwo(firesAgain: true): "the clock shows \(local.clock) twice; this is the first"
    case .secondOfTwo: "the clock shows \(local.clock) twice; this is the second"
    }
  }
}

extension CivilTime {
  /// The time as `02:30`, with seconds if they are not zero.
  fileprivate var clock: String {
    ([hour, minute] + (second == 0 ? [] : [second])).map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
