import Formats

/// The rules of a POSIX `TZ` string, such as `CET-1CEST,M3.5.0,M10.5.0/3`; they never end.
///
/// Hours of a change run from -167 to 167, as RFC 9636 §3.3.1 extends POSIX.
struct PosixZone: Hashable {
  /// The part of the year that has another setting.
  struct Daylight: Hashable {
    let setting: ZoneFile.Setting
    let start: Change
    let end: Change
  }

  /// When the clock is set in a year.
  struct Change: Hashable {
    let day: Day
    /// Seconds after midnight of that day, on the clock that holds until then.
    let time: Int

    enum Day: Hashable {
      /// `Jn`: 1 to 365; February 29 is never counted.
      case julian(Int)
      /// `n`: 0 to 365; February 29 is counted.
      case ordinal(Int)
      /// `Mm.w.d`: the weekday's first to fourth, or last (5), occurrence in the month.
      case weekday(month: Int, week: Int, weekday: Int)
    }
  }

  let standard: ZoneFile.Setting
  let daylight: Daylight?

  /// The settings of the clock from one year to another, in order; none when it is never set.
  func settings(in years: ClosedRange<Int>) -> [(instant: Int64, setting: ZoneFile.Setting)] {
    guard let daylight else { return [] }
    // The sort is stable: daylight saving that ends when the next year's begins goes on without a break.
    return years.flatMap { year in
      [
        (daylight.start.instant(in: year, at: standard.offset), daylight.setting),
        (daylight.end.instant(in: year, at: daylight.setting.offset), standard),
      ]
    }.sorted { $0.0 < $1.0 }
  }
}

extension PosixZone.Change {
  func instant(in year: Int, at offset: Int32) -> Int64 {
    Int64(day.daysSinceEpoch(in: year)) * 86_400 + Int64(time) - Int64(offset)
  }
}

extension PosixZone.Change.Day {
  func daysSinceEpoch(in year: Int) -> Int {
    switch self {
    case .julian(let day):
      let leapDay = CivilDate.isLeap(year) && day >= 60 ? 1 : 0
      return CivilDate(year: year, month: 1, day: 1).daysSinceEpoch + day - 1 + leapDay
    case .ordinal(let day):
      return CivilDate(year: year, month: 1, day: 1).daysSinceEpoch + day
    case .weekday(let month, let week, let weekday):
      let first = CivilDate(year: year, month: month, day: 1)
      let day = (weekday - first.weekday + 7) % 7 + (week - 1) * 7
      let isPastEnd = day >= CivilDate.length(ofMonth: month, in: year)
      return first.daysSinceEpoch + (isPastEnd ? day - 7 : day)
    }
  }
}
