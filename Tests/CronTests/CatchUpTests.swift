import Testing

@testable import Cron

struct CatchUpTests {
  @Test(arguments: [
    ("0 * * * *", "UTC", "2026-01-01T03:00Z", "2026-01-01T07:20Z", 4, "2026-01-01T07:00Z"),
    ("0 * * * *", "UTC", "2026-01-01T03:00Z", "2026-01-01T03:59:59Z", 0, nil),
    ("*/5 * * * *", "UTC", "2026-01-01T00:00Z", "2026-01-02T00:02Z", 288, "2026-01-02T00:00Z"),
    ("30 2 * * *", "America/New_York", "2026-03-07T07:30Z", "2026-03-08T12:00Z", 1, "2026-03-08T07:00Z"),
    ("30 1 * * *", "America/New_York", "2026-11-01T05:30Z", "2026-11-01T06:45Z", 0, nil),
    ("*/30 * * * *", "America/New_York", "2026-11-01T04:30Z", "2026-11-01T07:10Z", 5, "2026-11-01T07:00Z"),
    ("0 0 1 * *", "UTC", "2026-01-01T00:00Z", "2026-04-15T00:00Z", 3, nil),
    ("0 9 * * 1-5", "Europe/Berlin", "2026-03-27T08:00Z", "2026-03-31T12:00Z", 2, "2026-03-31T07:00Z"),
  ])
  func countsWhatWasDue(
    expression: String, zone: String, lastFire: String, now: String, due: Int, fired: String?
  ) throws {
    let schedule = try CronSchedule(expression, in: zone)

    let plan = CatchUp(policy: .one).plan(schedule, lastFire: .utc(lastFire), now: .utc(now))

    #expect(plan.dueCount == due)
    #expect(plan.occurrences.map(\.scheduledTime) == fired.map { [.utc($0)] } ?? [])
    #expect(plan.missedCount == due - plan.occurrences.count)
  }

  @Test func allMakesUpEachInOrder() throws {
    let plan = try plan(.init(policy: .all), "0 * * * *", last: "2026-01-01T03:00Z", now: "2026-01-01T07:20Z")

    let expected = (4...7).map { "2026-01-01T0\($0):00Z" }.map(Int64.utc)
    #expect(plan.occurrences.map(\.scheduledTime) == expected)
    #expect(plan.occurrences.allSatisfy { $0.isPastDue && $0.missedCount == 0 })
  }

  @Test func oneStandsForTheOthers() throws {
    let plan = try plan(.init(policy: .one), "0 * * * *", last: "2026-01-01T03:00Z", now: "2026-01-01T07:20Z")

    #expect(plan.occurrences == [.init(scheduledTime: .utc("2026-01-01T07:00Z"), isPastDue: true, missedCount: 3)])
  }

  @Test func noneLeavesThemOut() throws {
    let plan = try plan(.init(policy: .none), "0 * * * *", last: "2026-01-01T03:00Z", now: "2026-01-01T07:20Z")

    #expect(plan.occurrences.isEmpty)
    #expect(plan.missedCount == 4)
  }

  @Test func whatNoneLeftOutIsCountedByTheNextFire() throws {
    let plan = try plan(.init(policy: .none), "0 * * * *", last: "2026-01-01T03:00Z", now: "2026-01-01T08:00:01Z")

    #expect(plan.occurrences == [.init(scheduledTime: .utc("2026-01-01T08:00Z"), isPastDue: false, missedCount: 4)])
  }

  @Test(arguments: CatchUp.Policy.allCases)
  func anOccurrenceWithinTheToleranceIsOnTime(policy: CatchUp.Policy) throws {
    let plan = try plan(.init(policy: policy), "0 * * * *", last: "2026-01-01T06:00Z", now: "2026-01-01T07:01Z")

    #expect(plan.occurrences == [.init(scheduledTime: .utc("2026-01-01T07:00Z"), isPastDue: false, missedCount: 0)])
  }

  @Test(arguments: [(CatchUp.Policy.none, 0), (.one, 1), (.all, 1)])
  func aSecondBeyondTheToleranceIsPastDue(policy: CatchUp.Policy, count: Int) throws {
    let plan = try plan(.init(policy: policy), "0 * * * *", last: "2026-01-01T06:00Z", now: "2026-01-01T07:01:01Z")

    #expect(plan.occurrences.count == count)
    #expect(plan.occurrences.allSatisfy { $0.isPastDue })
  }

  @Test(arguments: [("2026-01-01T13:00Z", 7), ("2026-01-01T13:00:01Z", 6)], [CatchUp.Policy.all])
  func theWindowEndsAfterSixHours(now: (text: String, count: Int), policy: CatchUp.Policy) throws {
    let plan = try plan(.init(policy: policy), "0 * * * *", last: "2026-01-01T00:00Z", now: now.text)

    #expect(plan.occurrences.count == now.count)
    #expect(plan.occurrences.first?.missedCount == 13 - now.count)
    #expect(plan.dueCount == 13)
  }

  @Test func atMostAHundredAreMadeUpAndTheyAreTheLatest() throws {
    let plan = try plan(.init(policy: .all), "* * * * *", last: "2026-01-01T00:00Z", now: "2026-01-01T05:00Z")

    #expect(plan.occurrences.count == 100)
    #expect(plan.occurrences.first?.scheduledTime == .utc("2026-01-01T03:21Z"))
    #expect(plan.occurrences.first?.missedCount == 200)
    #expect(plan.occurrences.last?.scheduledTime == .utc("2026-01-01T05:00Z"))
    #expect(plan.occurrences.last?.missedCount == 0)
    #expect(plan.missedCount == 200)
  }

  @Test func aYearOfSecondsIsNotCountedToItsEnd() throws {
    let plan = try plan(.init(policy: .all), "* * * * * *", last: "2026-01-01T00:00Z", now: "2027-01-01T00:00Z")

    let lastHundred = Int64.utc("2026-12-31T23:58:21Z")...Int64.utc("2027-01-01T00:00Z")
    #expect(plan.occurrences.map(\.scheduledTime) == Array(lastHundred))
    #expect(plan.missedCount == 10_000)
  }

  @Test(arguments: CatchUp.Policy.allCases, ["2026-01-01T05:00Z", "2026-01-01T07:00:59Z"])
  func nothingIsDueBeforeTheNextFireNorAfterAClockWentBack(policy: CatchUp.Policy, now: String) throws {
    let plan = try plan(.init(policy: policy), "* * * * *", last: "2026-01-01T07:00Z", now: now)

    #expect(plan == .init(occurrences: [], dueCount: 0))
  }

  private func plan(_ catchUp: CatchUp, _ expression: String, last: String, now: String) throws -> CatchUp.Plan {
    catchUp.plan(try CronSchedule(expression), lastFire: .utc(last), now: .utc(now))
  }
}
