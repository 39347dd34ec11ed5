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
    var randomness = Seeded(state: zone.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })

    for _ in 0..<300 {
      let hours = Self.hours(from: &randomness)
      let now = Self.instant(in: rules, from: &randomness)
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
    return hours.startMinute <= hours.endMinute
      ? hours.startMinute <= minute && minute < hours.endMinute
      : hours.startMinute <= minute || minute < hours.endMinute
  }

  /// Edges anywhere, or in the small hours, where clocks are set.
  private static func hours(from randomness: inout Seeded) -> QuietHours {
    let latest = Bool.random(using: &randomness) ? 24 * 60 : 4 * 60
    return QuietHours(
      startMinute: .random(in: 0..<24 * 60, using: &randomness), endMinute: .random(in: 0..<latest, using: &randomness))
  }

  /// An instant from 1980 to 2040; mostly within a day and a half of a change of the clock.
  private static func instant(in rules: TimeZoneRules, from randomness: inout Seeded) -> Int64 {
    let anywhere = Int64.random(in: 315_532_800..<2_208_988_800, using: &randomness)
    let change = rules.nextTransition(after: anywhere)?.instant ?? anywhere
    return change + .random(in: -129_600...129_600, using: &randomness)
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
