import Formats
import Testing

@testable import TimeZones

struct TimeZoneRulesTests {
  @Test(arguments: [
    ("America/New_York", 1_772_953_199, -18_000, "EST"), ("America/New_York", 1_772_953_200, -14_400, "EDT"),
    ("US/Eastern", 1_772_953_200, -14_400, "EDT"), ("Europe/Berlin", 1_792_889_999, 7_200, "CEST"),
    ("Europe/Berlin", 1_792_890_000, 3_600, "CET"), ("Australia/Lord_Howe", 1_767_225_600, 39_600, "+11"),
    ("Australia/Lord_Howe", 1_780_272_000, 37_800, "+1030"), ("Antarctica/Troll", 1_780_272_000, 7_200, "+02"),
    ("Asia/Kathmandu", 0, 19_800, "+0530"), ("Asia/Kathmandu", 1_767_225_600, 20_700, "+0545"),
    ("Pacific/Kiritimati", 1_767_225_600, 50_400, "+14"), ("Pacific/Apia", 1_325_239_199, -36_000, "-10"),
    ("Pacific/Apia", 1_325_239_200, 50_400, "+14"), ("Etc/GMT+5", 0, -18_000, "-05"), ("Etc/GMT-14", 0, 50_400, "+14"),
    ("America/Sao_Paulo", 1_541_300_400, -7_200, "-02"), ("America/Sao_Paulo", 1_780_272_000, -10_800, "-03"),
    ("Europe/Berlin", -4_000_000_000, 3_208, "LMT"),
    // These are beyond what zone files list.
    ("America/New_York", 4_108_690_799, -18_000, "EST"), ("America/New_York", 4_108_690_800, -14_400, "EDT"),
  ])
  func knowsTheOffset(zone: String, instant: Int64, offset: Int32, abbreviation: String) throws {
    let rules = try TimeZoneRules(identifier: zone)

    #expect(rules.offset(at: instant) == offset)
    #expect(rules.period(at: instant).abbreviation == abbreviation)
  }

  @Test(arguments: [
    ("America/New_York", 1_767_225_600, 1_772_953_200, 3_600),
    ("America/New_York", 1_772_953_200, 1_793_512_800, -3_600),
    ("America/New_York", 4_102_444_800, 4_108_690_800, 3_600),
    ("Australia/Lord_Howe", 1_780_272_000, 1_791_041_400, 1_800),
    ("Antarctica/Troll", 1_767_225_600, 1_774_746_000, 7_200),
    ("Pacific/Apia", 1_320_000_000, 1_325_239_200, 86_400),
  ])
  func theNextChangeIsWhereAPeriodEnds(zone: String, after: Int64, instant: Int64, shift: Int32) throws {
    let rules = try TimeZoneRules(identifier: zone)

    #expect(rules.period(at: after).end == instant)
    #expect(rules.offset(at: instant) - rules.offset(at: after) == shift)
  }

  @Test(arguments: ["UTC", "Etc/UTC", "Etc/GMT+5", "Asia/Tokyo", "Africa/Lagos"])
  func aZoneThatIsNoLongerSetHasNoNextChange(zone: String) throws {
    #expect(try TimeZoneRules(identifier: zone).period(at: 1_767_225_600).end == nil)
  }

  @Test(arguments: ["America/New_York", "Europe/Dublin", "Africa/Casablanca", "Pacific/Apia", "Asia/Gaza", "UTC"])
  func periodsMeetWithoutGapOrOverlap(zone: String) throws {
    let rules = try TimeZoneRules(identifier: zone)
    var period = rules.period(at: -6_000_000_000)

    #expect(period.start == nil)
    while let end = period.end, end < 6_000_000_000 {
      let next = rules.period(at: end)
      #expect(next.start == end)
      #expect(rules.period(at: end - 1) == period)
      period = next
    }
  }

  @Test func theFooterTakesOverAtTheLastTransition() throws {
    // The zone adopts the European rules on 2026-06-01, in the middle of their summer.
    let adoption: Int64 = 1_780_272_000
    let sample = ZoneFileSample(
      transitions: [0, adoption], indices: [1, 2], settings: [(0, false, 0), (10_800, false, 4), (7_200, true, 8)],
      names: "LMT\0MSK\0CEST\0", footer: "CET-1CEST,M3.5.0,M10.5.0/3")

    let rules = TimeZoneRules(identifier: "Sample", file: try ZoneFile(sample.bytes))

    #expect(rules.period(at: -1) == .init(start: nil, end: 0, offset: 0, abbreviation: "LMT"))
    #expect(rules.period(at: adoption - 1) == .init(start: 0, end: adoption, offset: 10_800, abbreviation: "MSK"))
    #expect(
      rules.period(at: adoption) == .init(start: adoption, end: 1_792_890_000, offset: 7_200, abbreviation: "CEST"))
    #expect(rules.period(at: 1_792_890_000).abbreviation == "CET")
  }

  @Test(arguments: [Int64.min, .max])
  func theEndsOfTimeHaveAnOffset(instant: Int64) throws {
    let rules = try TimeZoneRules(identifier: "Europe/Berlin")

    #expect(abs(rules.offset(at: instant)) < 86_400)
    #expect(abs(rules.civilTime(at: instant).date.year) > 200_000)
  }

  @Test(arguments: [
    ("America/New_York", 1_772_953_200, "2026-03-08T03:00:00-04:00"), ("UTC", -1, "1969-12-31T23:59:59Z"),
    ("Asia/Kathmandu", 1_767_225_600, "2026-01-01T05:45:00+05:45"), ("Europe/Berlin", 0, "1970-01-01T01:00:00+01:00"),
    ("Europe/Berlin", -4_000_000_000, "1843-03-31T17:46:48+00:53:28"),
  ])
  func showsTheClock(zone: String, instant: Int64, text: String) throws {
    #expect(try TimeZoneRules(identifier: zone).rfc3339(at: instant) == text)
  }
}
