import CLI
import Cron
import Documents
import FoundationEssentials
import FunctionKit
import Manifest
import Schedules
import TimeZones

/// `runner schedules next`: when an expression, or a schedule of `functions.json`, fires.
///
/// It needs no database, no runner, and no project unless a schedule is named.
struct SchedulesNextCommand {
  private let schedule: CronSchedule
  private let from: Int64
  private let count: Int
  private let answer: Reply

  init(_ arguments: CommandArguments) throws {
    var arguments = arguments
    let (directory, timezone) = (try arguments.value("--project"), try arguments.value("--timezone"))
    _ = try arguments.value("--state-dir")
    from = Int64((try arguments.date("--from") ?? .now).timeIntervalSince1970.rounded(.down))
    count = try arguments.number("--count", in: 1...1_000) ?? 5
    answer = Reply(&arguments)
    let parts = arguments.operands()
    try arguments.finish()
    guard let first = parts.first else {
      throw FunctionError(.usage, "Which expression or schedule? Such as: runner schedules next '0 9 * * 1-5'.")
    }
    if parts.count == 1, !first.contains(where: \.isWhitespace), !first.hasPrefix("@") {
      let entry = try Project(directory: directory).schedule(first)
      schedule = CronSchedule(
        expression: entry.trigger.expression, zone: try Self.zone(timezone ?? entry.trigger.timezone))
    } else {
      schedule = CronSchedule(
        expression: try Self.expression(parts.joined(separator: " ")), zone: try Self.zone(timezone ?? "UTC"))
    }
  }

  func run() throws -> Int32 {
    let lines = schedule.occurrences(after: from, limit: count).map { fire in
      OccurrenceLine(
        time: TimeZoneRules.utc.rfc3339(at: fire), local: schedule.zone.rfc3339(at: fire),
        note: schedule.clockChange(at: fire)?.text(schedule.zone.civilTime(at: fire)))
    }
    var table = Table(["local", "UTC", ""])
    for line in lines { table.add([line.local, line.time, line.note ?? ""]) }
    return try answer(lines, text: table.text)
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
