import CLI
import Cron
import Documents
import FoundationEssentials
import FunctionKit
import Manifest
import Queue
import TimeZones

/// `runner schedules next`: when an expression, or a schedule of `functions.json`, fires.
///
/// It needs no database, no runner, and no project unless a schedule is named.
enum SchedulesNextCommand {
  private static let timezone = Option.text(
    "--timezone", "ZONE", "such as Europe/Berlin (the schedule's, else UTC)")
  private static let from = Option.instant("--from", "INSTANT", "fires after this (now)")
  private static let count = Option.number("--count", "N", in: 1...1_000, SchedulesCommand.counted)
  private static let subject = Operand(
    "NAME|EXPRESSION",
    "a schedule, or five fields such as '0 9 * * 1-5', six with seconds first, or @daily and the like")

  static let spec = CommandSpec(
    "next", "when a schedule or any expression fires, in its zone and UTC",
    [subject.offering(.schedules).required.repeated, timezone, from, count, Reply.option], run: { try run($0) })

  private static func run(_ arguments: CommandArguments) throws -> Int32 {
    let schedule = try schedule(arguments)
    let start = Int64((arguments[from] ?? .now).timeIntervalSince1970.rounded(.down))
    let lines = schedule.occurrences(after: start, limit: arguments[count] ?? 5).map { fire in
      OccurrenceLine(
        time: TimeZoneRules.utc.rfc3339(at: fire), local: schedule.zone.rfc3339(at: fire),
        note: schedule.clockChange(at: fire)?.text(schedule.zone.civilTime(at: fire)))
    }
    var table = Table(["local", "UTC", ""])
    for line in lines { table.add([line.local, line.time, line.note ?? ""]) }
    return try Reply(arguments)(lines, text: table.text)
  }

  private static func schedule(_ arguments: CommandArguments) throws -> CronSchedule {
    let (parts, timezone) = (arguments.operands, arguments[timezone])
    guard let first = parts.first else {
      throw FunctionError(.usage, "Which expression or schedule? Such as: runner schedules next '0 9 * * 1-5'.")
    }
    if parts.count == 1, !first.contains(where: \.isWhitespace), !first.hasPrefix("@") {
      let entry = try Project(arguments).schedule(first)
      return CronSchedule(
        expression: entry.trigger.expression, zone: try zone(timezone ?? entry.trigger.timezone))
    }
    return CronSchedule(expression: try expression(parts.joined(separator: " ")), zone: try zone(timezone ?? "UTC"))
  }

  private static func expression(_ text: String) throws(FunctionError) -> CronExpression {
    do throws(InvalidCronExpression) {
      return try CronExpression(text)
    } catch {
      throw FunctionError(.usage, error.description)
    }
  }

  private static func zone(_ name: String) throws(FunctionError) -> TimeZoneRules {
    do throws(UnknownTimeZone) {
      return try TimeZoneRules(identifier: name)
    } catch {
      throw FunctionError(.usage, "\(error)")
    }
  }
}
