import Formats
package import FoundationEssentials
package import TimeZones

/// When a mute ends, as a person says it.
package enum MuteEnd: Sendable, Equatable {
  /// This number of minutes from now.
  case minutes(Int)
  /// Tomorrow at 8:00.
  case tomorrow
  /// The next such day after today, at 8:00.
  case next(Weekday)
  case instant(Date)

  /// The longest mute: 366 days, in seconds.
  package static let longest: TimeInterval = 366 * 86_400

  /// The instant at which it ends.
  ///
  /// A time of day is the person's. If the clock skips it, the mute ends right after the gap; if it shows it twice, the
  /// first time counts.
  package func date(from now: Date, in rules: TimeZoneRules) -> Date {
    switch self {
    case .minutes(let minutes): now.addingTimeInterval(TimeInterval(minutes) * 60)
    case .tomorrow: Self.morning(1, after: now, in: rules)
    case .next(let weekday): Self.morning(weekday.days(after: Self.today(now, in: rules)), after: now, in: rules)
    case .instant(let date): date
    }
  }

  private static func today(_ now: Date, in rules: TimeZoneRules) -> CivilDate {
    rules.civilTime(at: Int64(now.timeIntervalSince1970.rounded(.down))).date
  }

  private static func morning(_ days: Int, after now: Date, in rules: TimeZoneRules) -> Date {
    let day = CivilDate(daysSinceEpoch: today(now, in: rules).daysSinceEpoch + days)
    let instant = rules.instant(of: CivilTime(date: day, secondOfDay: 8 * 3_600))
    return Date(timeIntervalSince1970: TimeInterval(instant))
  }
}

extension Weekday {
  /// How many days after a date it comes next: 1 to 7.
  fileprivate func days(after date: CivilDate) -> Int {
    let (wanted, today) = (
      Self.allCases.firstIndex(of: self) ?? 0, Self.allCases.firstIndex(of: Weekday(of: date)) ?? 0
    )
    return (wanted - today + 6) % 7 + 1
  }
}
