/// A day of the proleptic Gregorian calendar, without a time zone.
package struct CivilDate: Sendable, Hashable {
  /// The astronomical year: 0 is 1 BC.
  package let year: Int
  /// 1 to 12.
  package let month: Int
  /// 1 to 31.
  package let day: Int

  /// A day from its parts; a day beyond the end of its month counts on into the next.
  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that many days after 1970-01-01.
  package init(daysSinceEpoch: Int) {
    let days = daysSinceEpoch + Self.epochFromMarchOfYearZero
    let (era, dayOfEra) = days.dividedDown(by: Self.daysOfEra)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of days since 1970-01-01; negative before it.
  package var daysSinceEpoch: Int {
    // Years are counted from March, so that the leap day is the last of its year.
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).dividedDown(by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysOfEra + dayOfEra - Self.epochFromMarchOfYearZero
  }

  /// 0 (Sunday) to 6 (Saturday).
  package var weekday: Int { (daysSinceEpoch + 4).dividedDown(by: 7).remainder }

  /// Whether this is the last day of its month.
  package var isLastOfMonth: Bool { day == Self.length(ofMonth: month, in: year) }

  /// 28 to 31.
  package static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Whether the year has a February 29.
  package static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// The months as English shortens them.
  package static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  private static let daysOfEra = 146_097
  private static let epochFromMarchOfYearZero = 719_468
}

extension Int {
  /// Division that rounds towards negative infinity; the remainder is never negative.
  package func dividedDown(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
