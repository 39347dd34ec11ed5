import FoundationEssentials
import Notifications
import Testing
import TimeZones

/// Quiet hours by weekday.
struct QuietDaysTests {
  /// July 17, 2026, is a Friday.
  private static let hours = QuietHours(
    days: [
      .friday: .init(startMinute: 23 * 60 + 30, endMinute: 10 * 60), .saturday: .init(startMinute: 0, endMinute: 0),
      .sunday: .init(startMinute: 13 * 60, endMinute: 15 * 60),
    ])

  @Test(arguments: [
    // Thursday's usual hours end on Friday, before Friday's own begin.
    ("17T07:59:59", "17T08:00:00"), ("17T08:00:00", nil), ("17T22:30:00", nil),
    // Friday's begin on Friday and end on Saturday, which has none.
    ("17T23:30:00", "18T10:00:00"), ("18T09:59:59", "18T10:00:00"), ("18T10:00:00", nil), ("18T23:00:00", nil),
    // Nothing of Saturday's lasts into Sunday, whose hours are in the afternoon.
    ("19T07:00:00", nil), ("19T13:00:00", "19T15:00:00"), ("19T22:30:00", nil), ("20T07:00:00", nil),
    // Monday has the usual ones again.
    ("20T22:00:00", "21T08:00:00"),
  ])
  func hoursBeginOnTheirDay(now: String, end: String?) throws {
    let rules = try TimeZoneRules(identifier: "Europe/Berlin")
    let found = Self.hours.end(ifQuietAt: try Date("2026-07-\(now)+02:00", strategy: .iso8601), in: rules)

    #expect(found.map { rules.rfc3339(at: Int64($0.timeIntervalSince1970)) } == end.map { "2026-07-\($0)+02:00" })
  }

  @Test(arguments: [("17T07:00:00", [1_320, 480]), ("17T09:00:00", [1_410, 600]), ("18T09:00:00", [1_410, 600])])
  func theHoursThatCountAreThoseThatRunElseToday(now: String, minutes: [Int]) throws {
    let rules = try TimeZoneRules(identifier: "Europe/Berlin")
    let current = Self.hours.current(at: try Date("2026-07-\(now)+02:00", strategy: .iso8601), in: rules)

    #expect([current.startMinute, current.endMinute] == minutes)
  }

  @Test func hoursThatFollowEachOtherEndWithinAWeek() throws {
    let days = Weekday.allCases.enumerated().map { place, day in
      (day, QuietHours.Span(startMinute: 720 - place * 60, endMinute: 719 - place * 60))
    }
    let hours = QuietHours(days: Dictionary(days) { $1 })
    // A Monday: its hours and those of each day after it overlap, up to Sunday's.
    let now = try Date("2026-07-13T12:00:00Z", strategy: .iso8601)

    #expect(hours.end(ifQuietAt: now, in: .utc) == (try Date("2026-07-20T05:59:00Z", strategy: .iso8601)))
  }
}
