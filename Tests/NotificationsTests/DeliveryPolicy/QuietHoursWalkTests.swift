import FoundationEssentials
import Notifications
import TestSupport
import Testing
import TimeZones

/// Compares the computed end with somebody who looks at the clock every minute.
struct QuietHoursWalkTests {
  @Test(arguments: [
    "America/New_York", "Europe/Berlin", "Europe/Dublin", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia",
    "Pacific/Kwajalein", "Africa/Casablanca", "Asia/Gaza", "Asia/Beirut", "Asia/Kathmandu", "Antarctica/Troll",
    "Asia/Pyongyang", "America/Caracas", "UTC",
  ])
  func theEndIsWhatAMinuteByMinuteWalkFinds(zone: String) throws {
    let rules = try TimeZoneRules(identifier: zone)
    let changes = Self.changes(in: rules)
    var randomness = Seeded(state: zone.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })

    for _ in 0..<300 {
      let hours = Self.hours(from: &randomness)
      let now = Self.instant(near: changes, from: &randomness)
      let end = hours.end(ifQuietAt: Date(timeIntervalSince1970: Double(now)), in: rules)

      #expect(
        end.map { Int64($0.timeIntervalSince1970) } == Self.walk(from: now, through: hours, in: rules),
        "\(now) \(hours)")
    }
  }

  private static func walk(from now: Int64, through hours: QuietHours, in rules: TimeZoneRules) -> Int64? {
    guard isQuiet(at: now, hours, rules) else { return nil }
    var minute = (now / 60 + 1) * 60
    while isQuiet(at: minute, hours, rules) { minute += 60 }
    return minute
  }

  private static func isQuiet(at instant: Int64, _ hours: QuietHours, _ rules: TimeZoneRules) -> Bool {
    let time = rules.civilTime(at: instant)
    let minute = time.hour * 60 + time.minute
    let weekday = Int(time.secondsSinceEpoch / 86_400 + 3) % 7
    let (today, before) = (span(weekday, hours), span((weekday + 6) % 7, hours))
    return today.start <= today.end
      ? today.start <= minute && minute < today.end || before.start > before.end && minute < before.end
      : today.start <= minute || before.start > before.end && minute < before.end
  }

  private static func span(_ weekday: Int, _ hours: QuietHours) -> (start: Int, end: Int) {
    let own = hours.days[Weekday.allCases[weekday]]
    return (own?.startMinute ?? hours.startMinute, own?.endMinute ?? hours.endMinute)
  }

  /// Edges anywhere, or in the small hours, where clocks are set.
  private static func hours(from randomness: inout Seeded) -> QuietHours {
    let latest = Bool.random(using: &randomness) ? 24 * 60 : 4 * 60
    func span() -> QuietHours.Span {
      QuietHours.Span(
        startMinute: .random(in: 0..<24 * 60, using: &randomness),
        endMinute: .random(in: 0..<latest, using: &randomness))
    }
    let (usual, count) = (span(), Int.random(in: 0...3, using: &randomness))
    let days = (0..<count).map { _ in (Weekday.allCases.randomElement(using: &randomness) ?? .monday, span()) }
    return QuietHours(
      startMinute: usual.startMinute, endMinute: usual.endMinute, days: Dictionary(days) { $1 })
  }

  private static let years: Range<Int64> = 315_532_800..<2_208_988_800

  /// An instant from 1980 to 2040; within a day and a half of a change of the clock where there are any.
  private static func instant(near changes: [Int64], from randomness: inout Seeded) -> Int64 {
    let anywhere = Int64.random(in: years, using: &randomness)
    return (changes.randomElement(using: &randomness) ?? anywhere) + .random(in: -129_600...129_600, using: &randomness)
  }

  /// The instants of these years at which the clock is set, to the second.
  private static func changes(in rules: TimeZoneRules) -> [Int64] {
    stride(from: years.lowerBound, to: years.upperBound, by: 43_200).compactMap { start in
      var (before, after) = (start, start + 43_200)
      let offset = rules.offset(at: before)
      guard rules.offset(at: after) != offset else { return nil }
      while after - before > 1 {
        let middle = (before + after) / 2
        if rules.offset(at: middle) == offset { before = middle } else { after = middle }
      }
      return after
    }
  }
}

/// Repeatable randomness: an additive sequence through SplitMix64's finalizer.
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
    return bits ^ bits >> 31
  }
}
