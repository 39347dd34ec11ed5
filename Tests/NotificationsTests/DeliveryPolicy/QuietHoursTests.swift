import FoundationEssentials
import Notifications
import Testing
import TimeZones

struct QuietHoursTests {
  @Test(arguments: [
    ("21:59:59", nil), ("22:00:00", "2026-07-16T08:00:00+02:00"), ("23:59:59", "2026-07-16T08:00:00+02:00"),
    ("00:00:00", "2026-07-15T08:00:00+02:00"), ("02:00:00", "2026-07-15T08:00:00+02:00"),
    ("07:59:59", "2026-07-15T08:00:00+02:00"), ("08:00:00", nil), ("12:00:00", nil),
  ])
  func hoursOverMidnightEndInTheMorning(clock: String, end: String?) throws {
    #expect(try Self.end(of: QuietHours(), at: "2026-07-15T\(clock)+02:00", in: "Europe/Berlin") == end)
  }

  @Test(arguments: [
    ("08:59:59", nil), ("09:00:00", "2026-07-15T17:00:00+02:00"), ("16:59:59", "2026-07-15T17:00:00+02:00"),
    ("17:00:00", nil), ("23:00:00", nil),
  ])
  func hoursOfTheDayEndOnTheSameDay(clock: String, end: String?) throws {
    let hours = QuietHours(startMinute: 9 * 60, endMinute: 17 * 60)

    #expect(try Self.end(of: hours, at: "2026-07-15T\(clock)+02:00", in: "Europe/Berlin") == end)
  }

  @Test(arguments: [
    ("2026-01-15T02:30:00Z", nil), ("2026-01-15T12:30:00Z", "2026-01-15T08:00:00-05:00"),
    ("2026-07-15T02:30:00Z", "2026-07-15T08:00:00-04:00"), ("2026-07-15T12:30:00Z", nil),
  ])
  func theClockIsThePersonsInWinterAndInSummer(now: String, end: String?) throws {
    #expect(try Self.end(of: QuietHours(), at: now, in: "America/New_York") == end)
  }

  @Test(arguments: [
    (22 * 60, 22 * 60), (0, 0), (-1, 480), (1_320, -1), (1_440, 480), (1_320, 1_440), (.min, .max), (.max, .min),
  ])
  func equalOrMalformedEdgesAreNeverQuiet(start: Int, end: Int) throws {
    let hours = QuietHours(startMinute: start, endMinute: end)

    for hour in 0..<24 {
      #expect(hours.end(ifQuietAt: Sample.now.addingTimeInterval(Double(hour) * 3_600), in: .utc) == nil)
    }
  }

  @Test func edgesThatAreNotGivenAreTenAndEight() {
    #expect(QuietHours() == QuietHours(startMinute: 1_320, endMinute: 480, timeZone: nil))
    #expect(QuietHours(startMinute: 1_380) == QuietHours(startMinute: 1_380, endMinute: 480))
  }

  @Test(arguments: [
    // New York's clock jumps from 02:00 to 03:00.
    ("America/New_York", 1_320, 150, "2026-03-08T01:00:00-05:00", "2026-03-08T03:00:00-04:00"),
    ("America/New_York", 1_320, 480, "2026-03-07T23:00:00-05:00", "2026-03-08T08:00:00-04:00"),
    ("America/New_York", 150, 210, "2026-03-08T01:59:59-05:00", nil),
    ("America/New_York", 150, 210, "2026-03-08T03:00:00-04:00", "2026-03-08T03:30:00-04:00"),
    // Lord Howe's clock jumps from 02:00 to 02:30.
    ("Australia/Lord_Howe", 1_320, 135, "2026-10-04T01:00:00+10:30", "2026-10-04T02:30:00+11:00"),
    ("Australia/Lord_Howe", 1_320, 480, "2026-10-03T23:00:00+10:30", "2026-10-04T08:00:00+11:00"),
    // São Paulo's clock jumps from 00:00 to 01:00.
    ("America/Sao_Paulo", 1_320, 30, "2018-11-03T23:00:00-03:00", "2018-11-04T01:00:00-02:00"),
    ("America/Sao_Paulo", 1_200, 0, "2018-11-03T23:00:00-03:00", "2018-11-04T01:00:00-02:00"),
    // Apia's calendar jumps from December 29 to 31.
    ("Pacific/Apia", 1_320, 480, "2011-12-29T23:00:00-10:00", "2011-12-31T08:00:00+14:00"),
    ("Pacific/Apia", 1_320, 0, "2011-12-29T23:00:00-10:00", "2011-12-31T00:00:00+14:00"),
  ])
  func anEndThatTheClockSkipsComesAfterTheGap(zone: String, start: Int, end: Int, now: String, expected: String?)
    throws
  {
    #expect(try Self.end(of: QuietHours(startMinute: start, endMinute: end), at: now, in: zone) == expected)
  }

  @Test(arguments: [
    // New York's clock goes back from 02:00 to 01:00.
    ("America/New_York", 1_320, 90, "2026-11-01T00:30:00-04:00", "2026-11-01T01:30:00-04:00"),
    ("America/New_York", 1_320, 90, "2026-11-01T01:45:00-04:00", nil),
    ("America/New_York", 1_320, 90, "2026-11-01T01:10:00-05:00", "2026-11-01T01:30:00-05:00"),
    ("America/New_York", 1_320, 120, "2026-11-01T01:10:00-04:00", "2026-11-01T02:00:00-05:00"),
    ("America/New_York", 1_320, 480, "2026-10-31T23:00:00-04:00", "2026-11-01T08:00:00-05:00"),
    // Lord Howe's clock goes back from 02:00 to 01:30.
    ("Australia/Lord_Howe", 1_320, 105, "2026-04-05T01:00:00+11:00", "2026-04-05T01:45:00+11:00"),
    ("Australia/Lord_Howe", 1_320, 105, "2026-04-05T01:50:00+11:00", nil),
    ("Australia/Lord_Howe", 1_320, 105, "2026-04-05T01:35:00+10:30", "2026-04-05T01:45:00+10:30"),
    ("Australia/Lord_Howe", 1_320, 120, "2026-04-05T01:00:00+11:00", "2026-04-05T02:00:00+10:30"),
    // São Paulo's clock goes back from 00:00 to 23:00.
    ("America/Sao_Paulo", 1_200, 1_410, "2018-02-17T23:15:00-02:00", "2018-02-17T23:30:00-02:00"),
    ("America/Sao_Paulo", 1_200, 0, "2018-02-17T23:30:00-02:00", "2018-02-18T00:00:00-03:00"),
    ("America/Sao_Paulo", 0, 480, "2018-02-17T23:59:59-02:00", nil),
  ])
  func anEndThatTheClockShowsTwiceComesTheFirstTime(zone: String, start: Int, end: Int, now: String, expected: String?)
    throws
  {
    #expect(try Self.end(of: QuietHours(startMinute: start, endMinute: end), at: now, in: zone) == expected)
  }

  @Test func aPersonWhoFliesWhileItIsHeldIsAskedAnewInTheirNewZone() throws {
    let now = "2026-07-15T21:00:00Z"

    #expect(try Self.end(of: QuietHours(), at: now, in: "Europe/Berlin") == "2026-07-16T08:00:00+02:00")
    #expect(try Self.end(of: QuietHours(), at: now, in: "Asia/Tokyo") == "2026-07-16T08:00:00+09:00")
    #expect(try Self.end(of: QuietHours(), at: now, in: "America/New_York") == nil)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, 9e12, -9e12])
  func instantsThatNoCalendarReachesAreNeverQuiet(seconds: Double) {
    let hours = QuietHours(startMinute: 0, endMinute: 1_439)

    #expect(hours.end(ifQuietAt: Date(timeIntervalSince1970: seconds), in: .utc) == nil)
  }

  @Test func aFractionOfASecondIsStillQuiet() {
    let midnight = Date(timeIntervalSince1970: 1_800_057_600)

    #expect(
      QuietHours(endMinute: 0).end(ifQuietAt: midnight.addingTimeInterval(-0.25), in: .utc) == midnight)
    #expect(QuietHours(endMinute: 0).end(ifQuietAt: midnight, in: .utc) == nil)
  }

  @Test func anUnknownOrMissingZoneIsUTC() throws {
    var zones = Zones()

    #expect(zones.rules(of: nil).identifier == "UTC")
    #expect(zones.rules(of: "Mars/Olympus").identifier == "UTC")
    #expect(zones.rules(of: "../etc/passwd").identifier == "UTC")
    #expect(zones.rules(of: "Europe/Berlin").identifier == "Europe/Berlin")
    #expect(zones.rules(of: "europe/BERLIN").identifier == "Europe/Berlin")
    #expect(zones.rules(of: "Europe/Berlin").offset(at: 1_784_000_000) == 7_200)
  }

  private static func end(of hours: QuietHours, at now: String, in zone: String) throws -> String? {
    let rules = try TimeZoneRules(identifier: zone)
    let end = hours.end(ifQuietAt: try Date(now, strategy: .iso8601), in: rules)
    return end.map { rules.rfc3339(at: Int64($0.timeIntervalSince1970)) }
  }
}
