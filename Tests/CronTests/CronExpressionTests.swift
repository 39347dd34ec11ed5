import Testing

@testable import Cron

struct CronExpressionTests {
  @Test(arguments: [
    ("* * * * *", "2026-01-31T23:59Z", "2026-02-01T00:00Z 2026-02-01T00:01Z"),
    ("5 4 * * *", "2026-01-01T04:05Z", "2026-01-02T04:05Z 2026-01-03T04:05Z"),
    ("*/20 * * * *", "2026-01-01T00:30Z", "2026-01-01T00:40Z 2026-01-01T01:00Z"),
    ("10-50/20 * * * *", "2026-01-01T00:30Z", "2026-01-01T00:50Z 2026-01-01T01:10Z"),
    ("*/40 * * * *", "2026-01-01T00:00Z", "2026-01-01T00:40Z 2026-01-01T01:00Z 2026-01-01T01:40Z"),
    ("0 19-23/2,0-8/2 * * *", "2026-01-01T20:00Z", "2026-01-01T21:00Z 2026-01-01T23:00Z 2026-01-02T00:00Z"),
    ("0,0,30 12,6 * * *", "2026-01-01T00:00Z", "2026-01-01T06:00Z 2026-01-01T06:30Z 2026-01-01T12:00Z"),
    ("59 23 31 12 *", "2026-12-31T23:59Z", "2027-12-31T23:59Z"),
    ("05 04 01 01 *", "2026-01-01T00:00Z", "2026-01-01T04:05Z"),
    ("  0\t0  1 * *  ", "2026-01-01T00:00Z", "2026-02-01T00:00Z"),
    ("0 0 */24 */12 *", "2026-01-01T00:00Z", "2026-01-25T00:00Z 2027-01-01T00:00Z"),
    ("*/60 */24 * * *", "2026-01-01T00:00Z", "2026-01-02T00:00Z"),
  ])
  func findsNumbersRangesStepsAndLists(expression: String, after: String, fires: String) throws {
    try expect(expression, after: after, fires: fires)
  }

  @Test(arguments: [
    ("0 9 * * mon-fri", "2026-01-02T09:00Z", "2026-01-05T09:00Z"),
    ("0 9 * * MON,Wed", "2026-01-05T09:00Z", "2026-01-07T09:00Z 2026-01-12T09:00Z"),
    ("0 0 1 jan,Jul *", "2026-01-01T00:00Z", "2026-07-01T00:00Z 2027-01-01T00:00Z"),
    ("0 0 1 feb-dec/5 *", "2026-01-01T00:00Z", "2026-02-01T00:00Z 2026-07-01T00:00Z 2026-12-01T00:00Z"),
    ("0 0 * * sun-sat/3", "2026-01-01T00:00Z", "2026-01-03T00:00Z 2026-01-04T00:00Z 2026-01-07T00:00Z"),
  ])
  func findsNamesOfMonthsAndWeekdays(expression: String, after: String, fires: String) throws {
    try expect(expression, after: after, fires: fires)
  }

  @Test(arguments: ["0 0 * * 0", "0 0 * * 7", "0 0 * * sun", "0 0 * * 0,7", "0 0 * * 7-7", "0 0 * * */7", "@weekly"])
  func sundayIsZeroAndSevenAndFiresOnce(expression: String) throws {
    try expect(expression, after: "2026-01-01T00:00Z", fires: "2026-01-04T00:00Z 2026-01-11T00:00Z")
  }

  @Test func aRangeMayEndWithSunday() throws {
    try expect(
      "0 0 * * 5-7", after: "2026-01-02T00:00Z", fires: "2026-01-03T00:00Z 2026-01-04T00:00Z 2026-01-09T00:00Z")
  }

  @Test(arguments: [
    // Either is enough when both are restricted.
    ("0 0 13 * 5", "2026-01-31T00:00Z", "2026-02-06T00:00Z 2026-02-13T00:00Z 2026-02-20T00:00Z"),
    ("0 0 1,15 * 3", "2026-01-01T00:00Z", "2026-01-07T00:00Z 2026-01-14T00:00Z 2026-01-15T00:00Z"),
    ("0 0 L * 1", "2026-01-26T00:00Z", "2026-01-31T00:00Z 2026-02-02T00:00Z"),
    ("0 0 30 2 1", "2026-01-01T00:00Z", "2026-02-02T00:00Z 2026-02-09T00:00Z"),
    ("0 0 1-31 * 1", "2026-01-01T00:00Z", "2026-01-02T00:00Z 2026-01-03T00:00Z"),
    ("0 0 15,* * 1", "2026-01-01T00:00Z", "2026-01-02T00:00Z"),
    // Both must match when one begins with a star, no matter what follows it.
    ("0 0 */2 * 1", "2026-01-01T00:00Z", "2026-01-05T00:00Z 2026-01-19T00:00Z 2026-02-09T00:00Z"),
    ("0 0 *,15 * 1", "2026-01-01T00:00Z", "2026-01-05T00:00Z 2026-01-12T00:00Z"),
    ("0 0 13 * */5", "2026-01-01T00:00Z", "2026-02-13T00:00Z 2026-03-13T00:00Z 2026-09-13T00:00Z"),
    ("0 0 L * */7", "2026-01-01T00:00Z", "2026-05-31T00:00Z 2027-01-31T00:00Z"),
    ("0 0 * * 1", "2026-01-01T00:00Z", "2026-01-05T00:00Z"),
    ("0 0 13 * *", "2026-01-01T00:00Z", "2026-01-13T00:00Z"),
  ])
  func joinsBothDayFieldsAsDebianDoes(expression: String, after: String, fires: String) throws {
    try expect(expression, after: after, fires: fires)
  }

  @Test(arguments: [
    ("0 0 L * *", "2026-01-01T00:00Z", "2026-01-31T00:00Z 2026-02-28T00:00Z 2026-03-31T00:00Z 2026-04-30T00:00Z"),
    ("0 0 l 2 *", "2026-01-01T00:00Z", "2026-02-28T00:00Z 2027-02-28T00:00Z 2028-02-29T00:00Z"),
    ("0 0 15,L * *", "2026-02-01T00:00Z", "2026-02-15T00:00Z 2026-02-28T00:00Z"),
    ("0 0 31 * *", "2026-01-31T00:00Z", "2026-03-31T00:00Z 2026-05-31T00:00Z 2026-07-31T00:00Z 2026-08-31T00:00Z"),
    ("0 0 29 2 *", "2026-01-01T00:00Z", "2028-02-29T00:00Z 2032-02-29T00:00Z"),
    ("0 0 29 2 *", "2096-02-29T00:00Z", "2104-02-29T00:00Z"),
    ("0 0 29 2 */7", "2026-01-01T00:00Z", "2032-02-29T00:00Z 2060-02-29T00:00Z 2088-02-29T00:00Z 2128-02-29T00:00Z"),
    ("0 0 30 1-4 *", "2026-01-30T00:00Z", "2026-03-30T00:00Z 2026-04-30T00:00Z 2027-01-30T00:00Z"),
  ])
  func knowsTheLengthsOfMonths(expression: String, after: String, fires: String) throws {
    try expect(expression, after: after, fires: fires)
  }

  @Test(arguments: [
    ("*/15 * * * * *", "2026-01-01T00:00:50Z", "2026-01-01T00:01Z 2026-01-01T00:01:15Z 2026-01-01T00:01:30Z"),
    ("30 0 12 * * *", "2026-01-01T12:00:29Z", "2026-01-01T12:00:30Z 2026-01-02T12:00:30Z"),
    ("0,59 59 23 L 12 *", "2026-12-31T23:59Z", "2026-12-31T23:59:59Z 2027-12-31T23:59Z"),
    ("* * * * * *", "2026-12-31T23:59:59Z", "2027-01-01T00:00Z 2027-01-01T00:00:01Z"),
  ])
  func sixFieldsBeginWithTheSecond(expression: String, after: String, fires: String) throws {
    try expect(expression, after: after, fires: fires)
  }

  @Test(arguments: [
    ("@hourly", "0 * * * *"), ("@daily", "0 0 * * *"), ("@midnight", "0 0 * * *"), ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 1 *"), ("@annually", "0 0 1 1 *"), ("@Daily", "0 0 * * *"),
  ])
  func nicknamesStandForFiveFields(nickname: String, fields: String) throws {
    let (short, long) = (try CronExpression(nickname), try CronExpression(fields))

    #expect(short.text == nickname)
    #expect(short.minutes == long.minutes)
    #expect(short.hours == long.hours)
    #expect(short.days == long.days)
    #expect(short.followsElapsedTime == long.followsElapsedTime)
  }

  @Test(arguments: ["0\t9\t*\t*\t*", "0 9 * * *\n", "0 9 * * *\r\n", "0 9 * * *\r", " 0  9 * * * \n\n"])
  func tabsSeparateAndLinesMayEnd(expression: String) throws {
    let read = try CronExpression(expression)

    #expect(read.minutes == [0] && read.hours == [9])
    #expect(read.text.last == "*")
  }

  @Test(arguments: [
    ("* 2 * * *", true), ("2 * * * *", true), ("*/30 2 * * *", true), ("2 */2 * * *", true), ("30 2 * * *", false),
    ("0-59 0-23 * * *", false), ("5,* 2 * * *", false), ("* 30 2 * * *", false), ("0 30 * * * *", true),
  ])
  func aStarAtTheBeginningOfMinuteOrHourFollowsElapsedTime(expression: String, follows: Bool) throws {
    #expect(try CronExpression(expression).followsElapsedTime == follows)
  }

  @Test(arguments: [
    ("* * * * *", true), ("*/5 * * * *", true), ("2-59/5 * * * *", true), ("0,30 * * * *", true), ("* * * * * *", true),
    ("*/10 * * * * *", true), ("* * 1-31 * 1", true), ("* * 1-30 * 0-6", true), ("* 0-22 * * *", false),
    ("* * * 1-11 *", false), ("* * 1-30 * *", false), ("* * * * 1-5", false), ("*/7 * * * *", false),
    ("0,10 * * * *", false), ("0-59 0-23 * * *", false), ("*/20 * * * *", false), ("0 * * * *", false),
    ("0 9 * * *", false), ("*/10 */5 * * * *", false),
  ])
  func evenSpacingIsSeenInTheExpression(expression: String, isEven: Bool) throws {
    #expect(try CronExpression(expression).isEvenlySpaced == isEven)
  }

  @Test func nothingFiresAfterTheYear9999() throws {
    let schedule = try CronSchedule("0 0 31 12 *")

    #expect(schedule.next(after: .utc("9999-12-30T00:00Z")) == .utc("9999-12-31T00:00Z"))
    #expect(schedule.next(after: .utc("9999-12-31T00:00Z")) == nil)
    #expect(schedule.next(after: .max) == nil)
    #expect(schedule.next(after: .min) == .utc("0001-12-31T00:00Z"))
  }

  private func expect(_ expression: String, after: String, fires: String) throws {
    let count = fires.split(separator: " ").count
    #expect(try CronSchedule(expression).fires(after: after, count: count) == fires)
  }
}
