import Formats
import TestSupport
import TimeZones

/// Cron's rule, written without any thought of speed, to compare with.
///
/// It walks from minute to minute and looks at nothing but the offset of each.
struct CronOracle {
  /// Some minutes in a row, each with what the clock shows then, in minutes since 1970-01-01T00:00 on that wall.
  struct Walk {
    let start: Int64
    let clock: [Int]

    init(from start: Int64, minutes: Int, in zone: TimeZoneRules) {
      self.start = start
      clock = (0..<minutes).map { Int((start + Int64($0) * 60 + Int64(zone.offset(at: start + Int64($0) * 60))) / 60) }
    }
  }

  let sample: CronExpressionSample

  /// The fires in all but the first three hours of a walk.
  func fires(in walk: Walk) -> [Int64] {
    (180..<walk.clock.count).filter { fires(at: $0, walk.clock) }.map { walk.start + Int64($0) * 60 }
  }

  private func fires(at index: Int, _ clock: [Int]) -> Bool {
    if sample.isWildcard { return matches(clock[index]) }
    let skipped = clock[index] - clock[index - 1] - 1
    if skipped > 0, skipped < 180, (1...skipped).contains(where: { matches(clock[index] - $0) }) { return true }
    return matches(clock[index]) && !clock[index - 179..<index].contains(clock[index])
  }

  private func matches(_ minute: Int) -> Bool {
    let date = CivilDate(daysSinceEpoch: minute / 1_440)
    guard sample.minute.values.contains(minute % 60), sample.hour.values.contains(minute / 60 % 24),
      sample.month.values.contains(date.month)
    else { return false }
    let weekdays: Set = date.weekday == 0 ? [0, 7] : [date.weekday]
    let isDay = sample.day.values.contains(date.day)
    let isWeekday = !sample.weekday.values.isDisjoint(with: weekdays)
    let isEither = !sample.day.text.hasPrefix("*") && !sample.weekday.text.hasPrefix("*")
    return isEither ? isDay || isWeekday : isDay && isWeekday
  }
}

/// A cron expression made at random, with the numbers that each field stands for.
struct CronExpressionSample {
  struct Field {
    let text: String
    let values: Set<Int>
  }

  let minute, hour, day, month, weekday: Field

  var text: String { [minute, hour, day, month, weekday].map(\.text).joined(separator: " ") }
  var isWildcard: Bool { minute.text.hasPrefix("*") || hour.text.hasPrefix("*") }

  init(using random: inout SplitMix) {
    minute = Self.field(0...59, using: &random)
    hour = Self.field(0...4, of: 0...23, using: &random)
    day = Bool.random(using: &random) ? Self.star(1...31) : Self.field(1...31, using: &random)
    month = Self.star(1...12)
    weekday = Bool.random(using: &random) ? Self.star(0...7) : Self.field(0...7, using: &random)
  }

  private static func star(_ bounds: ClosedRange<Int>) -> Field { Field(text: "*", values: Set(bounds)) }

  private static func field(
    _ preferred: ClosedRange<Int>, of bounds: ClosedRange<Int>? = nil, using random: inout SplitMix
  ) -> Field {
    let bounds = bounds ?? preferred
    let items = (0..<Int.random(in: 1...3, using: &random)).map { _ in item(preferred, bounds, using: &random) }
    return Field(text: items.map(\.text).joined(separator: ","), values: items.reduce([]) { $0.union($1.values) })
  }

  private static func item(
    _ preferred: ClosedRange<Int>, _ bounds: ClosedRange<Int>, using random: inout SplitMix
  ) -> Field {
    let (first, second) = (Int.random(in: preferred, using: &random), Int.random(in: preferred, using: &random))
    let (low, high) = (min(first, second), max(first, second))
    let step = Int.random(in: 1...bounds.count, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      let values = stride(from: bounds.lowerBound, through: bounds.upperBound, by: step)
      return Field(text: "*/\(step)", values: Set(values))
    case 1: return Field(text: "\(low)-\(high)/\(step)", values: Set(stride(from: low, through: high, by: step)))
    case 2, 3: return Field(text: "\(low)-\(high)", values: Set(low...high))
    default: return Field(text: "\(first)", values: [first])
    }
  }
}
