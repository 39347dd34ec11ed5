import Formats

/// The days that the last three fields of a cron expression select.
struct CronDays: Hashable {
  let ofMonth: CronValues
  /// Whether the day of month has `L`.
  let includesLastOfMonth: Bool
  let months: CronValues
  /// 0 (Sunday) to 6.
  let ofWeek: CronValues
  /// Whether a day needs to match only one of the two day fields.
  ///
  /// This is so if neither field begins with `*`. Otherwise a day must match both.
  let matchesEither: Bool

  /// Whether any year has such a day.
  ///
  /// February 29 falls on every weekday within 400 years, so the weekdays exclude none.
  var exist: Bool {
    if matchesEither || includesLastOfMonth { return true }
    guard let day = ofMonth.first(from: 1) else { return false }
    return (1...12).contains { months.contains($0) && day <= CivilDate.length(ofMonth: $0, in: 2000) }
  }

  /// Whether every day is one.
  var areAll: Bool {
    let areAllOfMonth = (1...31).allSatisfy(ofMonth.contains)
    let areAllOfWeek = (0...6).allSatisfy(ofWeek.contains)
    return (1...12).allSatisfy(months.contains)
      && (matchesEither ? areAllOfMonth || areAllOfWeek : areAllOfMonth && areAllOfWeek)
  }

  /// The first selected day from one day on, up to the end of the month of another.
  func first(from start: CivilDate, throughMonthOf end: CivilDate) -> CivilDate? {
    var (year, month, day) = (start.year, start.month, start.day)
    while (year, month) <= (end.year, end.month) {
      if months.contains(month) {
        for day in day...CivilDate.length(ofMonth: month, in: year) {
          let date = CivilDate(year: year, month: month, day: day)
          if contain(date) { return date }
        }
      }
      (year, month, day) = month == 12 ? (year + 1, 1, 1) : (year, month + 1, 1)
    }
    return nil
  }

  private func contain(_ date: CivilDate) -> Bool {
    let isOfMonth = ofMonth.contains(date.day) || includesLastOfMonth && date.isLastOfMonth
    let isOfWeek = ofWeek.contains(date.weekday)
    return matchesEither ? isOfMonth || isOfWeek : isOfMonth && isOfWeek
  }
}
