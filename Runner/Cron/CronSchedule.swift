package import TimeZones

/// A cron expression in a time zone: the instants at which it fires, in seconds since 1970-01-01T00:00:00Z.
///
/// If a clock is set forward by less than three hours, all fixed times that it skips fire once together, at the first
/// instant after the gap. If it is set back by less than three hours, a fixed time that comes twice fires only the
/// first time. An expression whose minute or hour begins with `*` fires whenever the clock shows a matching time. A
/// change of three hours or more is a correction, like Samoa's, which left out a day. Then nothing fires late and
/// nothing is held back, as in Debian's cron.
package struct CronSchedule: Sendable {
  package let expression: CronExpression
  package let zone: TimeZoneRules

  package init(expression: CronExpression, zone: TimeZoneRules) {
    (self.expression, self.zone) = (expression, zone)
  }

  /// The first fire after an instant; nil after the year 9999.
  package func next(after instant: Int64) -> Int64? {
    guard instant < Self.horizon.upperBound else { return nil }
    var instant = max(instant + 1, Self.horizon.lowerBound)
    while true {
      let period = zone.period(at: instant)
      if !expression.followsElapsedTime, let start = period.start {
        let shift = Int64(period.offset) - Int64(zone.offset(at: start - 1))
        if instant == start, isMadeUp(at: start, offset: period.offset, shift: shift) { return start }
        if (-Self.correction + 1..<0).contains(shift) { instant = max(instant, start - shift) }
      }
      let (end, offset) = (min(period.end ?? .max, Self.horizon.upperBound + 1), Int64(period.offset))
      if instant < end, let civil = expression.first(from: instant + offset, before: end + offset) {
        return civil - offset
      }
      guard end <= Self.horizon.upperBound else { return nil }
      instant = end
    }
  }

  /// The fires after one instant and through another, in order, at most as many as the limit.
  package func occurrences(after start: Int64, through end: Int64 = .max, limit: Int) -> [Int64] {
    var found: [Int64] = []
    var last = start
    while found.count < limit, let next = next(after: last), next <= end {
      found.append(next)
      last = next
    }
    return found
  }

  /// The last fire after one instant and through another.
  package func last(after start: Int64, through end: Int64) -> Int64? {
    guard let first = next(after: start), first <= end else { return nil }
    // There is a fire at `known` and none after `bound`. Each step halves the gap between them.
    var (known, bound) = (first, min(end, Self.horizon.upperBound))
    while known < bound {
      let middle = known + (bound - known) / 2
      if let next = next(after: middle), next <= bound { known = next } else { bound = middle }
    }
    return known
  }

  /// Whether a fixed time lies in the gap that ends at an instant.
  func isMadeUp(at end: Int64, offset: Int32, shift: Int64) -> Bool {
    guard (1..<Self.correction).contains(shift) else { return false }
    let civil = end + Int64(offset)
    return expression.first(from: civil - shift, before: civil) != nil
  }

  /// From three hours on, a change of the clock is a correction.
  private static let correction: Int64 = 3 * 3_600
  /// The years 1 to 9999.
  private static let horizon: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// How a change of the zone's clock affects a fire.
  package enum ClockChange: Hashable {
    /// It fires for fixed times that the clock skipped, and also for its own time if that is one of the schedule's.
    case madeUp(skipped: [CivilTime], isOwnTime: Bool)
    /// The clock shows this time twice; a fixed time fires only at the first.
    case firstOfTwo(firesAgain: Bool)
    case secondOfTwo
  }

  /// How a change of the clock affects a fire; nil on ordinary days.
  package func clockChange(at fire: Int64) -> ClockChange? {
    let period = zone.period(at: fire)
    if let start = period.start {
      let shift = Int64(period.offset) - Int64(zone.offset(at: start - 1))
      if fire == start, isMadeUp(at: start, offset: period.offset, shift: shift), !expression.followsElapsedTime {
        let civil = fire + Int64(period.offset)
        return .madeUp(
          skipped: matches(from: civil - shift, before: civil),
          isOwnTime: expression.first(from: civil, before: civil + 1) != nil)
      }
      if fire < start - shift { return .secondOfTwo }
    }
    if let end = period.end, fire >= end + Int64(zone.offset(at: end)) - Int64(period.offset) {
      return .firstOfTwo(firesAgain: expression.followsElapsedTime)
    }
    return nil
  }

  private func matches(from start: Int64, before end: Int64) -> [CivilTime] {
    var (found, next) = ([CivilTime](), start)
    while let match = expression.first(from: next, before: end) {
      found.append(CivilTime(secondsSinceEpoch: match))
      next = match + 1
    }
    return found
  }
}

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
