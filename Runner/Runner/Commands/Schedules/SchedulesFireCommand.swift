import CLI
import Cron
import Documents
import FoundationEssentials
import FunctionKit
import Inspection
import Manifest
import Postgres
import Queue

/// `runner schedules fire`: fires one occurrence by hand; the schedule itself does not change.
enum SchedulesFireCommand {
  private static let at = Option.instant("--at", "INSTANT", "the scheduled time that the function gets (now)")
  private static let noWait = Flag("--no-wait", "print the event's id only, and do not wait")

  static let spec = CommandSpec(
    "fire", "one occurrence beside those of the schedule; waits up to 10 s for what becomes of it",
    [SchedulesCommand.name.required, at, noWait, Reply.option], run: run)

  /// How long it waits for the outcome.
  private static let timeLimit = Duration.seconds(10)

  private static func run(_ arguments: CommandArguments) async throws -> Int32 {
    let context = try CommandContext(arguments)
    let entry = try context.project.schedule(arguments)
    return try await context.withDatabase { database in
      let id = try await fire(entry, at: arguments[at], database)
      guard !arguments[noWait] else { return try context.answer(FiredDocument(event: id), text: id) }
      if try await ListeningRunners.isAny(on: database) { try await waitForAttempt(id, database) }
      let fire = try await ScheduleFire.of(id, schedule: entry.name, in: database)
      let outcome = fire.milliseconds.map { "\(fire.outcomeText) in \(TimeText.length($0 / 1_000))" }
      return try context.answer(
        fire, text: "\(id): \(outcome ?? "it has not ended yet; runner why \(id) says more")")
    }
  }

  /// Returns the id of the event.
  private static func fire(_ entry: ScheduleEntry, at: Date?, _ database: Connection) async throws -> String {
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
    try await entry.fireByHand(id, tick, in: database)
    return id
  }

  private static func waitForAttempt(_ id: String, _ database: Connection) async throws {
    let deadline = ContinuousClock.now + timeLimit
    while try await database.query("SELECT 1 FROM runner.history WHERE event_id = \(id)").isEmpty,
      ContinuousClock.now < deadline
    {
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}
