import Testing
import TimeZones

@testable import Cron

struct CronClockChangeTests {
  @Test(arguments: [
    ("30 2 * * *", "America/New_York", "2026-03-08T07:00Z", "in place of 02:30, which the clock skips"),
    ("0,15 2 * * *", "America/New_York", "2026-03-08T07:00Z", "in place of 02:00, 02:15, which the clock skips"),
    ("0 0-3 * * *", "America/New_York", "2026-03-08T07:00Z", "and in place of 02:00, which the clock skips"),
    (
      "*/20 30 2 * * *", "Europe/Berlin", "2026-03-29T01:00Z",
      "in place of 02:30, 02:30:20, 02:30:40, which the clock skips"
    ),
    ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T15:30Z", "in place of 02:15, which the clock skips"),
    (
      "30 1 * * *", "America/New_York", "2026-11-01T05:30Z",
      "the clock shows 01:30 twice; this is the first, the second is left out"
    ),
    ("30 * * * *", "America/New_York", "2026-11-01T05:30Z", "the clock shows 01:30 twice; this is the first"),
    ("30 * * * *", "America/New_York", "2026-11-01T06:30Z", "the clock shows 01:30 twice; this is the second"),
    (
      "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T14:45Z",
      "the clock shows 01:45 twice; this is the first, the second is left out"
    ),
  ])
  func namesWhatAChangeDoes(expression: String, zone: String, fire: String, text: String) throws {
    let schedule = try CronSchedule(expression, in: zone)

    #expect(schedule.clockChange(at: .utc(fire))?.text(schedule.zone.civilTime(at: .utc(fire))) == text)
  }

  @Test(arguments: [
    ("30 2 * * *", "America/New_York", "2026-03-07T07:30Z"), ("0 3 * * *", "America/New_York", "2026-03-08T07:00Z"),
    ("0 * * * *", "America/New_York", "2026-03-08T07:00Z"), ("30 2 * * *", "America/New_York", "2026-11-01T07:30Z"),
    ("59 0 * * *", "America/New_York", "2026-11-01T04:59Z"), ("0 2 * * *", "America/New_York", "2026-11-01T07:00Z"),
    ("30 2 * * *", "Asia/Tokyo", "2026-03-07T17:30Z"), ("30 2 * * *", "UTC", "2026-03-08T02:30Z"),
  ])
  func ordinaryFiresHaveNone(expression: String, zone: String, fire: String) throws {
    let schedule = try CronSchedule(expression, in: zone)

    #expect(schedule.next(after: .utc(fire) - 1) == .utc(fire))
    #expect(schedule.clockChange(at: .utc(fire)) == nil)
  }
}
