import TestSupport
import Testing
import TimeZones

@testable import Cron

struct CronScheduleTests {
  @Test(arguments: [
    ("America/New_York", "2026-03-07T00:00Z"), ("America/New_York", "2026-10-31T00:00Z"),
    ("Europe/Berlin", "2026-03-28T00:00Z"), ("Europe/Dublin", "2026-10-24T00:00Z"),
    ("Australia/Lord_Howe", "2026-10-03T00:00Z"), ("Australia/Lord_Howe", "2026-04-04T00:00Z"),
    ("Antarctica/Troll", "2026-03-28T00:00Z"), ("Antarctica/Troll", "2026-10-24T00:00Z"),
    ("America/Havana", "2026-03-07T00:00Z"), ("America/Havana", "2026-10-31T00:00Z"),
    ("America/Sao_Paulo", "2018-11-03T00:00Z"), ("America/Sao_Paulo", "2018-02-17T00:00Z"),
    ("Africa/Casablanca", "2026-02-14T00:00Z"), ("Africa/Casablanca", "2026-03-21T00:00Z"),
    ("Antarctica/Casey", "2010-03-04T00:00Z"), ("Antarctica/Casey", "2009-10-17T00:00Z"),
    ("Antarctica/Vostok", "2023-12-17T00:00Z"), ("Pacific/Apia", "2011-12-29T00:00Z"),
    ("Asia/Gaza", "2026-03-27T00:00Z"), ("America/Nuuk", "2026-10-24T00:00Z"),
    ("America/New_York", "2099-03-07T00:00Z"),
    ("Asia/Kathmandu", "2026-02-27T00:00Z"), ("Etc/GMT+5", "2028-02-28T00:00Z"), ("UTC", "2026-12-30T00:00Z"),
  ])
  func agreesWithAWalkFromMinuteToMinute(zone: String, start: String) throws {
    let rules = try TimeZoneRules(identifier: zone)
    let walk = CronOracle.Walk(from: .utc(start), minutes: 3 * 1_440, in: rules)
    var random = SplitMix(seed: UInt64(Int64.utc(start)))
    let (first, last) = (walk.start + 180 * 60 - 1, walk.start + Int64(walk.clock.count) * 60 - 1)

    for _ in 0..<40 {
      let sample = CronExpressionSample(using: &random)
      guard let expression = try? CronExpression(sample.text) else {
        Issue.record("\(sample.text) is refused")
        continue
      }
      let schedule = CronSchedule(expression: expression, zone: rules)
      let expected = CronOracle(sample: sample).fires(in: walk)
      let instant = Int64.random(in: first..<last, using: &random)
      let next = schedule.next(after: instant)

      #expect(schedule.occurrences(after: first, through: last, limit: .max) == expected, "\(sample.text) in \(zone)")
      #expect(next.flatMap { $0 > last ? nil : $0 } == expected.first { $0 > instant }, "\(sample.text)")
      #expect(schedule.last(after: first, through: instant) == expected.last { $0 <= instant }, "\(sample.text)")
    }
  }

  @Test func occurrencesEndAtTheLimitAndAtTheEnd() throws {
    let schedule = try CronSchedule("0 * * * *")
    let start = Int64.utc("2026-01-01T00:00Z")

    #expect(schedule.occurrences(after: start, through: start + 7_200, limit: 10) == [start + 3_600, start + 7_200])
    #expect(schedule.occurrences(after: start, through: start + 7_199, limit: 10) == [start + 3_600])
    #expect(schedule.occurrences(after: start, limit: 1) == [start + 3_600])
    #expect(schedule.occurrences(after: start, through: start, limit: 10).isEmpty)
    #expect(schedule.occurrences(after: start, limit: 0).isEmpty)
  }

  @Test(arguments: [
    ("0 0 29 2 *", "2024-02-29T00:00Z"), ("0 * * * *", "2026-06-01T12:00Z"), ("* * * * * *", "2026-06-01T12:30:05Z"),
    ("0 0 1 6 *", "2026-06-01T00:00Z"),
  ])
  func findsTheLastOneThroughAnInstant(expression: String, last: String) throws {
    let schedule = try CronSchedule(expression)

    #expect(schedule.last(after: 0, through: .utc("2026-06-01T12:30:05Z")) == .utc(last))
    #expect(schedule.last(after: .utc(last), through: .utc(last)) == nil)
    #expect(schedule.last(after: .utc(last) - 1, through: .utc(last)) == .utc(last))
    #expect(schedule.last(after: .utc(last), through: .utc("2026-06-01T12:30:05Z")) == nil)
  }
}
