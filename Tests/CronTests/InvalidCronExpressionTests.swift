import Testing

@testable import Cron

struct InvalidCronExpressionTests {
  @Test(arguments: [
    ("60 * * * *", "60 in minute (field 1 of 5) is not within 0 to 59"),
    ("0 24 * * *", "24 in hour (field 2 of 5) is not within 0 to 23"),
    ("0 0 0 * *", "0 in day of month (field 3 of 5) is not within 1 to 31"),
    ("0 0 32 * *", "32 in day of month (field 3 of 5) is not within 1 to 31"),
    ("0 0 1 0 *", "0 in month (field 4 of 5) is not within 1 to 12"),
    ("0 0 1 13 *", "13 in month (field 4 of 5) is not within 1 to 12"),
    ("0 0 * * 8", "8 in day of week (field 5 of 5) is not within 0 to 7"),
    ("60 0 0 * * *", "60 in second (field 1 of 6) is not within 0 to 59"),
    ("0 60 0 * * *", "60 in minute (field 2 of 6) is not within 0 to 59"),
    ("0 0-99 * * *", "99 in hour (field 2 of 5) is not within 0 to 23"),
    ("99999999999999999999 * * * *", "\"99999999999999999999\" in minute (field 1 of 5) is not a number, a range or *"),
  ])
  func refusesNumbersOutOfBounds(expression: String, reason: String) {
    expect(expression, isRefusedBecause: reason)
  }

  @Test(arguments: [
    ("0 5-1 * * *", "the range \"5-1\" in hour (field 2 of 5) runs backwards"),
    ("0 0 * * sat-mon", "the range \"sat-mon\" in day of week (field 5 of 5) runs backwards"),
    (
      "0 0 * * fri-sun",
      "the range \"fri-sun\" in day of week (field 5 of 5) runs backwards; a range that ends on Sunday ends with 7"
    ),
    ("0 0 1 oct-feb *", "the range \"oct-feb\" in month (field 4 of 5) runs backwards"),
    ("1-2-3 * * * *", "\"1-2-3\" in minute (field 1 of 5) is not a range"),
    ("-5 * * * *", "\"-5\" in minute (field 1 of 5) is not a number, a range or *"),
    ("5- * * * *", "\"5-\" in minute (field 1 of 5) is not a number, a range or *"),
    ("*-5 * * * *", "\"*-5\" in minute (field 1 of 5) is not a number, a range or *"),
  ])
  func refusesRangesThatRunBackwardsOrNowhere(expression: String, reason: String) {
    expect(expression, isRefusedBecause: reason)
  }

  @Test(arguments: [
    ("5/15 * * * *", "the step of \"5/15\" in minute (field 1 of 5) needs a range, like 5-59/15, or * before it"),
    ("0 0 L/2 * *", "\"L/2\" in day of month (field 3 of 5) is not a number, a range, * or L"),
    ("*/0 * * * *", "the step of \"*/0\" in minute (field 1 of 5) is not a number from 1 to 60"),
    ("*/61 * * * *", "the step of \"*/61\" in minute (field 1 of 5) is not a number from 1 to 60"),
    ("0 */25 * * *", "the step of \"*/25\" in hour (field 2 of 5) is not a number from 1 to 24"),
    ("*/ * * * *", "the step of \"*/\" in minute (field 1 of 5) is not a number from 1 to 60"),
    ("*/-5 * * * *", "the step of \"*/-5\" in minute (field 1 of 5) is not a number from 1 to 60"),
    ("*/5/5 * * * *", "\"*/5/5\" in minute (field 1 of 5) has more than one step"),
    ("/5 * * * *", "\"/5\" in minute (field 1 of 5) is not a number, a range or *"),
  ])
  func refusesStepsThatAreNone(expression: String, reason: String) {
    expect(expression, isRefusedBecause: reason)
  }

  @Test(arguments: [
    (",5 * * * *", "minute (field 1 of 5) has an empty item in its list"),
    ("0 1,,2 * * *", "hour (field 2 of 5) has an empty item in its list"),
    ("0 0 1, * *", "day of month (field 3 of 5) has an empty item in its list"),
  ])
  func refusesEmptyItems(expression: String, reason: String) {
    expect(expression, isRefusedBecause: reason)
  }

  @Test(arguments: [
    ("x * * * *", "\"x\" in minute (field 1 of 5) is not a number, a range or *"),
    ("+5 * * * *", "\"+5\" in minute (field 1 of 5) is not a number, a range or *"),
    ("1.5 * * * *", "\"1.5\" in minute (field 1 of 5) is not a number, a range or *"),
    ("٣ * * * *", "\"٣\" in minute (field 1 of 5) is not a number, a range or *"),
    ("** * * * *", "\"**\" in minute (field 1 of 5) is not a number, a range or *"),
    ("mon * * * *", "\"mon\" in minute (field 1 of 5) is not a number, a range or *"),
    ("0 0 1 mon *", "\"mon\" in month (field 4 of 5) is not a number, a range, * or a name like jan"),
    ("0 0 * * monday", "\"monday\" in day of week (field 5 of 5) is not a number, a range, * or a name like mon"),
    ("0 0 * * 5#2", "\"5#2\" in day of week (field 5 of 5) is not a number, a range, * or a name like mon"),
    ("0 0 15W * *", "\"15W\" in day of month (field 3 of 5) is not a number, a range, * or L"),
    ("0 0 L-3 * *", "\"L-3\" in day of month (field 3 of 5) is not a number, a range, * or L"),
    ("0 0 * * L", "L in day of week (field 5 of 5) is allowed in the day of month only"),
    ("0 0 ? * 1", "\"?\" in day of month (field 3 of 5) is not a number, a range, * or L; write * for any"),
    ("0 0 1\n1 *", "it has 4 fields instead of five, or six with leading seconds"),
  ])
  func refusesWhatItDoesNotKnow(expression: String, reason: String) {
    expect(expression, isRefusedBecause: reason)
  }

  @Test(arguments: [
    ("", "it has 0 fields instead of five, or six with leading seconds"),
    ("5", "it has 1 field instead of five, or six with leading seconds"),
    ("* * * *", "it has 4 fields instead of five, or six with leading seconds"),
    ("0 0 0 1 1 * 2026", "it has 7 fields instead of five, or six with leading seconds"),
    ("@reboot", "@reboot names no time, and functions do not run when the machine starts"),
    ("@daily 5", "nothing may follow @daily"),
    ("@every 5m", "nothing may follow @every"),
    (
      "TZ=Europe/Rome 0 2 * * *",
      "it has no place for a time zone; write \"timezone\": \"Europe/Rome\" beside it, or --timezone Europe/Rome"
    ),
    ("CRON_TZ=UTC @daily", "it has no place for a time zone; write \"timezone\": \"UTC\" beside it, or --timezone UTC"),
    (
      "@fortnightly",
      "@fortnightly is not one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually"
    ),
  ])
  func refusesAnotherNumberOfFieldsAndUnknownNicknames(expression: String, reason: String) {
    expect(expression, isRefusedBecause: reason)
  }

  @Test(arguments: ["0 0 30 2 *", "0 0 31 2 *", "0 0 31 4,6,9,11 *", "0 0 30,31 feb */2", "0 0 0 30 2 *"])
  func refusesWhatCanNeverFire(expression: String) {
    expect(expression, isRefusedBecause: "it can never fire, because no year has such a day")
  }

  @Test(arguments: ["0 0 29 2 *", "0 0 31 2,3 *", "0 0 30 2 1", "0 0 30,L 2 *", "0 0 29 2 */7"])
  func acceptsWhatSeldomFires(expression: String) throws {
    #expect(try CronSchedule(expression).next(after: 0) != nil)
  }

  @Test func repeatsTheExpressionInASentence() throws {
    let error = try #require(throws: InvalidCronExpression.self) { try CronExpression("0 0 30 2 *") }

    #expect(
      error.description
        == "The schedule \"0 0 30 2 *\" is not valid: it can never fire, because no year has such a day.")
  }

  private func expect(_ expression: String, isRefusedBecause reason: String) {
    #expect(throws: InvalidCronExpression(expression: expression, reason: reason)) { try CronExpression(expression) }
  }
}
