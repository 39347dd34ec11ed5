import Testing

@testable import TimeZones

/// The instant of a time on the wall, at 52 edges: in four zones, around a gap and around times that come twice.
struct CivilInstantTests {
  private static let zones =
    [
      // Each with the instant of a gap, and of a clock that goes back; the last one's gap is at midnight.
      ("America/New_York", 1_772_953_200, 1_793_512_800), ("Australia/Lord_Howe", 1_791_041_400, 1_775_314_800),
      ("Pacific/Chatham", 1_790_431_200, 1_775_311_200), ("America/Sao_Paulo", 1_541_300_400, 1_518_919_200),
    ] as [(String, Int64, Int64)]
  private static let seconds: [Int64] = [-5_400, -3_600, -1_800, -60, -1, 0, 1, 60, 1_799, 1_800, 3_599, 3_600, 5_400]

  @Test(arguments: zones)
  func aTimeThatTheClockSkipsIsRightAfterTheGap(zone: String, gap: Int64, _: Int64) throws {
    let rules = try TimeZoneRules(identifier: zone)
    let (before, after) = (Int64(rules.offset(at: gap - 1)), Int64(rules.offset(at: gap)))
    try #require(after > before)

    for second in Self.seconds {
      let wall = gap + before + second
      let expected = second < 0 ? gap + second : max(gap, wall - after)
      #expect(rules.instant(of: CivilTime(secondsSinceEpoch: wall)) == expected, "\(second)")
    }
  }

  @Test(arguments: zones)
  func aTimeThatTheClockShowsTwiceIsTheFirst(zone: String, _: Int64, back: Int64) throws {
    let rules = try TimeZoneRules(identifier: zone)
    let (before, after) = (Int64(rules.offset(at: back - 1)), Int64(rules.offset(at: back)))
    try #require(after < before)

    for second in Self.seconds {
      let wall = back + before + second
      let expected = second < 0 ? back + second : wall - after
      #expect(rules.instant(of: CivilTime(secondsSinceEpoch: wall)) == expected, "\(second)")
    }
  }

  @Test(arguments: ["UTC", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe", "Pacific/Kiritimati"])
  func theClockShowsTheTimeAtItsInstant(zone: String) throws {
    let rules = try TimeZoneRules(identifier: zone)

    for instant in stride(from: Int64(1_767_225_600), to: 1_798_761_600, by: 40_009) {
      let time = rules.civilTime(at: instant)
      let found = rules.instant(of: time)
      #expect(found <= instant && rules.civilTime(at: found) == time)
    }
  }
}
