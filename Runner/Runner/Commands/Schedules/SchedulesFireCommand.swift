import FoundationEssentials
import FunctionKit
import Postgres

/// `runner schedules fire`: an occurrence by hand, beside those of the schedule, which goes on as it was.
struct SchedulesFireCommand {
  private let project: Project
  private let entry: ScheduleEntry
  private let at: Date?
  private let json: Bool

  init(_ words: Words) throws {
    var words = words
    project = try Project(directory: words.value("--project"))
    at = try words.value("--at").map(InstantText.read)
    json = words.flag("--json")
    guard let name = words.word() else { throw FunctionError(.usage, "Which schedule? See runner schedules.") }
    try words.finish()
    entry = try project.schedule(name)
  }

  func run() async throws -> Int32 {
    let database = try project.database()
    let row = try await database.query(
      """
      SELECT runner.now() AS now,
        (SELECT last_scheduled_time FROM runner.schedules WHERE name = \(entry.name)) AS last
      """
    ).only()
    let now: Date = try row.decode("now")
    let time = Date.seconds(Int64((at ?? now).timeIntervalSince1970.rounded(.down)))
    let following = entry.schedule.occurrences(after: Int64(time.timeIntervalSince1970), limit: 5)
    let tick = ScheduleTick(
      schedule: entry.trigger.expression.text, timezone: entry.trigger.timezone, scheduledTime: time, firedAt: now,
      lastScheduledTime: try row.optional("last"), nextScheduledTimes: following.map(Date.seconds), manual: true)
    let id = "\(entry.name)@\(RFC3339.string(time))/manual-\(RandomID.make().prefix(8))"
    try await ScheduleStore(database: database).fireByHand(entry, id, tick)
    if json { return Console.say(String(decoding: RawJSON(object: [("event", RawJSON(id))]).bytes, as: UTF8.self)) }
    return Console.say("\(id) is in line.")
  }
}
