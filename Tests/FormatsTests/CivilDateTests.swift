import Formats
import Testing

struct CivilDateTests {
  @Test(arguments: [
    (CivilDate(year: 1970, month: 1, day: 1), 0, 4),
    (CivilDate(year: 1969, month: 12, day: 31), -1, 3),
    (CivilDate(year: 2000, month: 2, day: 29), 11_016, 2),
    (CivilDate(year: 2026, month: 3, day: 8), 20_520, 0),
    (CivilDate(year: 2100, month: 3, day: 1), 47_541, 1),
    (CivilDate(year: 1, month: 1, day: 1), -719_162, 1),
    (CivilDate(year: 0, month: 2, day: 29), -719_469, 2),
    (CivilDate(year: 9999, month: 12, day: 31), 2_932_896, 5),
  ])
  func countsDaysAndWeekdaysFromTheEpoch(date: CivilDate, days: Int, weekday: Int) {
    #expect(date.daysSinceEpoch == days)
    #expect(CivilDate(daysSinceEpoch: days) == date)
    #expect(date.weekday == weekday)
  }

  @Test func everyDayOfFourCenturiesFollowsTheOneBefore() {
    var expected = CivilDate(year: 1799, month: 12, day: 31)
    let first = expected.daysSinceEpoch
    for days in first..<first + 146_097 {
      guard CivilDate(daysSinceEpoch: days) == expected, expected.daysSinceEpoch == days else {
        Issue.record("Day \(days) is not \(expected)")
        return
      }
      expected = dayAfter(expected)
    }
  }

  @Test(arguments: [(1900, false), (2000, true), (2023, false), (2024, true), (2100, false), (2400, true)])
  func centuriesAreLeapYearsOnlyEveryFourth(year: Int, isLeap: Bool) {
    #expect(CivilDate.isLeap(year) == isLeap)
    #expect(CivilDate.length(ofMonth: 2, in: year) == (isLeap ? 29 : 28))
    #expect(CivilDate(year: year, month: 2, day: 28).isLastOfMonth == !isLeap)
  }

  private func dayAfter(_ date: CivilDate) -> CivilDate {
    if !date.isLastOfMonth { return CivilDate(year: date.year, month: date.month, day: date.day + 1) }
    let (year, month) = date.month == 12 ? (date.year + 1, 1) : (date.year, date.month + 1)
    return CivilDate(year: year, month: month, day: 1)
  }
}
