import Formats
import TimeZones

/// A cron expression, read as Debian's cron does.
///
/// It selects times of a clock on a wall. `CronSchedule` adds the time zone of that wall.
package struct CronExpression: Hashable {
  /// The expression as it was written.
  package let text: String
  let seconds: CronValues
  let minutes: CronValues
  let hours: CronValues
  let days: CronDays
  /// Whether minute or hour begins with `*`.
  ///
  /// Then it follows the time that passes, even if the clock is changed. Otherwise it has fixed times of day, and each
  /// comes once on each of its days.
  let followsElapsedTime: Bool

  /// The first matching time from one civil time on and before another, both in the seconds of `CivilTime`.
  package func first(from start: Int64, before end: Int64) -> Int64? {
    let start = CivilTime(secondsSinceEpoch: start)
    let lastDate = CivilTime(secondsSinceEpoch: end - 1).date
    var date = start.date
    while let day = days.first(from: date, throughMonthOf: lastDate) {
      if let second = firstSecondOfDay(from: day == start.date ? start.secondOfDay : 0) {
        let match = CivilTime(date: day, secondOfDay: second).secondsSinceEpoch
        return match < end ? match : nil
      }
      date = CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1)
    }
    return nil
  }

  private func firstSecondOfDay(from earliest: Int) -> Int? {
    first(in: hours, of: 3_600, from: earliest) { earliest in
      first(in: minutes, of: 60, from: earliest) { earliest in seconds.first(from: earliest) }
    }
  }

  /// The first second in the selected units of this length; another search finds the second within a unit.
  private func first(
    in units: CronValues, of length: Int, from earliest: Int, within firstInUnit: (Int) -> Int?
  ) -> Int? {
    let unit = earliest / length
    if units.contains(unit), let second = firstInUnit(earliest % length) { return unit * length + second }
    guard let next = units.first(from: unit + 1), let second = firstInUnit(0) else { return nil }
    return next * length + second
  }
}
