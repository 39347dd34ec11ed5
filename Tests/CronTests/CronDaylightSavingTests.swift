import Testing

@testable import Cron

struct CronDaylightSavingTests {
  @Test(arguments: [
    ("30 2 * * *", "2026-03-07T07:00Z", "2026-03-07T07:30Z 2026-03-08T07:00Z 2026-03-09T06:30Z"),
    ("0,15,30,45 2 * * *", "2026-03-07T08:00Z", "2026-03-08T07:00Z 2026-03-09T06:00Z"),
    ("0 0-3 * * *", "2026-03-08T05:30Z", "2026-03-08T06:00Z 2026-03-08T07:00Z 2026-03-09T04:00Z"),
    ("30 2 8 3 *", "2026-01-01T00:00Z", "2026-03-08T07:00Z 2027-03-08T07:30Z"),
    ("30 2 * * sun", "2026-03-02T00:00Z", "2026-03-08T07:00Z 2026-03-15T06:30Z"),
    ("30 2 * * mon", "2026-03-08T00:00Z", "2026-03-09T06:30Z"),
    ("*/10 30 2 * * *", "2026-03-08T00:00Z", "2026-03-08T07:00Z 2026-03-09T06:30Z 2026-03-09T06:30:10Z"),
    ("0 3 * * *", "2026-03-08T00:00Z", "2026-03-08T07:00Z 2026-03-09T07:00Z"),
    ("*/30 2 * * *", "2026-03-08T00:00Z", "2026-03-09T06:00Z 2026-03-09T06:30Z"),
    ("30 * * * *", "2026-03-08T06:00Z", "2026-03-08T06:30Z 2026-03-08T07:30Z"),
    ("0 */2 * * *", "2026-03-08T04:30Z", "2026-03-08T05:00Z 2026-03-08T08:00Z"),
  ])
  func newYorkSkipsAnHourInSpring(expression: String, after: String, fires: String) throws {
    try expect(expression, in: "America/New_York", after: after, fires: fires)
  }

  @Test(arguments: [
    ("30 1 * * *", "2026-11-01T04:00Z", "2026-11-01T05:30Z 2026-11-02T06:30Z"),
    ("30 1 * * *", "2026-11-01T06:10Z", "2026-11-02T06:30Z"),
    ("30 1 1 11 *", "2026-11-01T05:30Z", "2027-11-01T05:30Z"),
    ("0 1,2 * * *", "2026-11-01T04:30Z", "2026-11-01T05:00Z 2026-11-01T07:00Z 2026-11-02T06:00Z"),
    (
      "*/30 * * * *", "2026-11-01T04:30Z",
      "2026-11-01T05:00Z 2026-11-01T05:30Z 2026-11-01T06:00Z 2026-11-01T06:30Z 2026-11-01T07:00Z"
    ),
    ("*/30 1 * * *", "2026-11-01T05:00Z", "2026-11-01T05:30Z 2026-11-01T06:00Z 2026-11-01T06:30Z 2026-11-02T06:00Z"),
    ("0 * * * *", "2026-11-01T05:30Z", "2026-11-01T06:00Z 2026-11-01T07:00Z"),
    ("@daily", "2026-11-01T04:00Z", "2026-11-02T05:00Z"),
  ])
  func newYorkRepeatsAnHourInAutumn(expression: String, after: String, fires: String) throws {
    try expect(expression, in: "America/New_York", after: after, fires: fires)
  }

  @Test(arguments: [
    ("30 2 * * *", "2026-03-28T02:00Z", "2026-03-29T01:00Z 2026-03-30T00:30Z"),
    ("30 2 * * *", "2026-10-24T12:00Z", "2026-10-25T00:30Z 2026-10-26T01:30Z"),
    ("0 9 * * 1-5", "2026-03-27T08:00Z", "2026-03-30T07:00Z 2026-03-31T07:00Z"),
    ("15 * * * *", "2026-10-25T00:00Z", "2026-10-25T00:15Z 2026-10-25T01:15Z 2026-10-25T02:15Z"),
  ])
  func berlinChangesAtOneUTC(expression: String, after: String, fires: String) throws {
    try expect(expression, in: "Europe/Berlin", after: after, fires: fires)
  }

  @Test(arguments: [
    ("15 2 * * *", "2026-10-03T00:00Z", "2026-10-03T15:30Z 2026-10-04T15:15Z"),
    ("45 2 * * *", "2026-10-03T00:00Z", "2026-10-03T15:45Z 2026-10-04T15:45Z"),
    ("0 * * * *", "2026-10-03T14:30Z", "2026-10-03T16:00Z 2026-10-03T17:00Z"),
    ("45 1 * * *", "2026-04-04T00:00Z", "2026-04-04T14:45Z 2026-04-05T15:15Z"),
    ("15 1 * * *", "2026-04-04T00:00Z", "2026-04-04T14:15Z 2026-04-05T14:45Z"),
    ("*/15 1 * * *", "2026-04-04T14:15Z", "2026-04-04T14:30Z 2026-04-04T14:45Z 2026-04-04T15:00Z 2026-04-04T15:15Z"),
  ])
  func lordHoweMovesByHalfAnHour(expression: String, after: String, fires: String) throws {
    try expect(expression, in: "Australia/Lord_Howe", after: after, fires: fires)
  }

  @Test(arguments: [
    ("30 1,2 * * *", "2026-03-29T00:00Z", "2026-03-29T01:00Z 2026-03-29T23:30Z"),
    ("30 1,2 * * *", "2026-10-24T12:00Z", "2026-10-24T23:30Z 2026-10-25T00:30Z 2026-10-26T01:30Z"),
    ("30 1 * * *", "2026-10-25T02:00Z", "2026-10-26T01:30Z"),
  ])
  func trollMovesByTwoHours(expression: String, after: String, fires: String) throws {
    try expect(expression, in: "Antarctica/Troll", after: after, fires: fires)
  }

  @Test(arguments: [
    ("America/Havana", "0 0 * * *", "2026-03-07T12:00Z", "2026-03-08T05:00Z 2026-03-09T04:00Z"),
    ("America/Sao_Paulo", "0 0 * * *", "2018-11-03T12:00Z", "2018-11-04T03:00Z 2018-11-05T02:00Z"),
    ("America/Sao_Paulo", "@midnight", "2018-11-03T12:00Z", "2018-11-04T03:00Z 2018-11-05T02:00Z"),
    ("America/Sao_Paulo", "0 0 4 11 *", "2018-01-01T00:00Z", "2018-11-04T03:00Z 2019-11-04T03:00Z"),
    ("America/Sao_Paulo", "0 0 3 11 *", "2018-11-03T12:00Z", "2019-11-03T03:00Z"),
  ])
  func aMidnightThatDoesNotExistFiresAfterTheGap(zone: String, expression: String, after: String, fires: String) throws
  {
    try expect(expression, in: zone, after: after, fires: fires)
  }

  @Test(arguments: [
    // Of a past year: tzdata 2026f has no change in Cuba in autumn any more.
    ("America/Havana", "0 0 * * *", "2025-11-01T12:00Z", "2025-11-02T04:00Z 2025-11-03T05:00Z"),
    ("America/Sao_Paulo", "30 23 * * *", "2018-02-17T12:00Z", "2018-02-18T01:30Z 2018-02-19T02:30Z"),
    ("America/Sao_Paulo", "0 23 17 2 *", "2018-02-17T12:00Z", "2018-02-18T01:00Z 2019-02-18T02:00Z"),
  ])
  func aMidnightThatComesTwiceFiresOnce(zone: String, expression: String, after: String, fires: String) throws {
    try expect(expression, in: zone, after: after, fires: fires)
  }

  @Test(arguments: [
    // Samoa had no December 30, 2011.
    ("Pacific/Apia", "0 12 * * *", "2011-12-29T12:00Z", "2011-12-29T22:00Z 2011-12-30T22:00Z"),
    ("Pacific/Apia", "0 12 30 12 *", "2011-01-01T00:00Z", "2012-12-29T22:00Z"),
    // The Line Islands had no January 1, 1995, here.
    ("Pacific/Kiritimati", "0 0 * * *", "1994-12-30T12:00Z", "1994-12-31T10:00Z 1995-01-01T10:00Z"),
    // Casey went back by three hours: what had happened happens again.
    ("Antarctica/Casey", "30 23 * * *", "2010-03-04T00:00Z", "2010-03-04T12:30Z 2010-03-04T15:30Z 2010-03-05T15:30Z"),
  ])
  func aShiftOfThreeHoursOrMoreIsACorrection(zone: String, expression: String, after: String, fires: String) throws {
    try expect(expression, in: zone, after: after, fires: fires)
  }

  @Test(arguments: [
    ("Pacific/Kiritimati", "0 12 * * *", "2026-03-07T12:00Z", "2026-03-07T22:00Z 2026-03-08T22:00Z"),
    ("Asia/Kathmandu", "0 0 * * *", "2026-03-07T12:00Z", "2026-03-07T18:15Z 2026-03-08T18:15Z"),
    ("Asia/Tokyo", "30 2 * * *", "2026-03-07T12:00Z", "2026-03-07T17:30Z 2026-03-08T17:30Z"),
    ("Etc/GMT+5", "30 2 * * *", "2026-03-07T12:00Z", "2026-03-08T07:30Z 2026-03-09T07:30Z"),
    ("UTC", "30 2 * * *", "2026-03-07T12:00Z", "2026-03-08T02:30Z 2026-03-09T02:30Z"),
  ])
  func aZoneWithoutChangesKeepsItsOffset(zone: String, expression: String, after: String, fires: String) throws {
    try expect(expression, in: zone, after: after, fires: fires)
  }

  private func expect(_ expression: String, in zone: String, after: String, fires: String) throws {
    let count = fires.split(separator: " ").count
    #expect(try CronSchedule(expression, in: zone).fires(after: after, count: count) == fires)
  }
}
