import FoundationEssentials
import Notifications
import Testing
import TimeZones

/// When mutes end, also where clocks are set in the night before.
struct MuteEndTests {
  // March 6, 2026, is a Friday.
  @Test(arguments: [
    ("Europe/Berlin", "2026-03-06T10:00:00+01:00", MuteEnd.minutes(60), "2026-03-06T11:00:00+01:00"),
    ("Europe/Berlin", "2026-03-06T10:00:00+01:00", .tomorrow, "2026-03-07T08:00:00+01:00"),
    ("Europe/Berlin", "2026-03-06T01:00:00+01:00", .tomorrow, "2026-03-07T08:00:00+01:00"),
    ("Europe/Berlin", "2026-03-06T10:00:00+01:00", .next(.monday), "2026-03-09T08:00:00+01:00"),
    ("Europe/Berlin", "2026-03-06T10:00:00+01:00", .next(.friday), "2026-03-13T08:00:00+01:00"),
    ("Europe/Berlin", "2026-03-09T07:00:00+01:00", .next(.monday), "2026-03-16T08:00:00+01:00"),
    // An hour is an hour, and a morning is a morning, whatever the clock does in between.
    ("Europe/Berlin", "2026-03-29T01:30:00+01:00", .minutes(60), "2026-03-29T03:30:00+02:00"),
    ("Europe/Berlin", "2026-03-28T10:00:00+01:00", .tomorrow, "2026-03-29T08:00:00+02:00"),
    ("America/New_York", "2026-10-30T10:00:00-04:00", .next(.monday), "2026-11-02T08:00:00-05:00"),
    ("Pacific/Chatham", "2026-04-04T10:00:00+13:45", .tomorrow, "2026-04-05T08:00:00+12:45"),
    // Apia's calendar had no December 30.
    ("Pacific/Apia", "2011-12-29T10:00:00-10:00", .tomorrow, "2011-12-31T00:00:00+14:00"),
  ])
  func aMuteEndsInTheMorningOfItsPerson(zone: String, now: String, end: MuteEnd, expected: String) throws {
    let rules = try TimeZoneRules(identifier: zone)
    let found = end.date(from: try Date(now, strategy: .iso8601), in: rules)

    #expect(rules.rfc3339(at: Int64(found.timeIntervalSince1970)) == expected)
  }
}
