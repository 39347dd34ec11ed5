import Testing

@testable import TimeZones

struct PosixZoneTests {
  @Test(arguments: [
    ("UTC0", 0, "UTC"), ("EST5", -18_000, "EST"), ("<+0545>-5:45", 20_700, "+0545"), ("<-00>0", 0, "-00"),
    ("LMT-0:19:32", 1_172, "LMT"), ("XXX+24", -86_400, "XXX"),
  ])
  func readsAZoneThatIsNeverSet(text: String, offset: Int32, name: String) throws {
    let zone = try PosixZone(text)

    #expect(zone.standard == .init(offset: offset, abbreviation: name))
    #expect(zone.daylight == nil)
    #expect(zone.settings(in: 2026...2027).isEmpty)
  }

  @Test(arguments: [
    // United States: the second Sunday of March, the first of November.
    ("EST5EDT,M3.2.0,M11.1.0", 2026, 1_772_953_200, 1_793_512_800),
    // The European Union: the last Sundays.
    ("CET-1CEST,M3.5.0,M10.5.0/3", 2026, 1_774_746_000, 1_792_890_000),
    // Hours before midnight and after the day's end.
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026, 1_774_746_000, 1_792_890_000),
    ("EET-2EEST,M3.4.4/50,M10.4.4/50", 2026, 1_774_656_000, 1_792_796_400),
    // Ireland: the winter is what differs, and it differs backwards.
    ("IST-1GMT0,M10.5.0,M3.5.0/1", 2026, 1_792_890_000, 1_774_746_000),
    // Day 60 is March 1 with J, in any year; without, it counts February 29.
    ("AAA0BBB,J60/0,J300/0", 2024, 1_709_251_200, 1_729_983_600),
    ("AAA0BBB,J60/0,J300/0", 2026, 1_772_323_200, 1_793_055_600),
    ("AAA0BBB,59/0,299/0", 2024, 1_709_164_800, 1_729_897_200),
    ("AAA0BBB,59/0,299/0", 2026, 1_772_323_200, 1_793_055_600),
    // An offset of its own.
    ("<+00>0<+02>-2,M3.5.0/1,M10.5.0/3", 2026, 1_774_746_000, 1_792_890_000),
  ])
  func findsTheChangesOfAYear(text: String, year: Int, start: Int64, end: Int64) throws {
    let zone = try PosixZone(text)

    let changes = zone.settings(in: year...year)

    let daylight = try #require(zone.daylight)
    #expect(changes.first { $0.setting == daylight.setting }?.instant == start)
    #expect(changes.first { $0.setting == zone.standard }?.instant == end)
  }

  @Test func daylightSavingThatNeverEndsHasNoChangeOfOffset() throws {
    let zone = try PosixZone("XXX3EDT4,0/0,J365/23")

    let changes = zone.settings(in: 2025...2027)

    let instants = Dictionary(grouping: changes, by: \.instant).filter { $0.value.count > 1 }
    #expect(instants.count == 2)
    #expect(instants.values.allSatisfy { $0.last?.setting.abbreviation == "EDT" })
  }

  @Test(arguments: [
    "", "E5", "EST", "EST5EDT", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
    "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J365", "EST5EDT,366,1", "EST5EDT,M3.2.0/168,M11.1.0", "EST25", "EST5:60",
    "<EST5", "EST5EDT,M3.2.0,M11.1.0,", "EST5EDT;M3.2.0,M11.1.0", "EST5EDT,M3.2,M11.1.0", "EST99999999999999999999",
  ])
  func refusesWhatIsNoZone(text: String) {
    #expect(throws: MalformedZoneFile.self) { try PosixZone(text) }
  }
}
