import FoundationEssentials
import FunctionKit
import TimeZones

/// `runner schedules next`: when an expression, or a schedule of `functions.json`, fires.
///
/// It asks nobody but the calendar: no database, no runner, and no project unless a schedule is named.
struct SchedulesNextCommand {
  private let schedule: CronSchedule
  private let from: Int64
  private let count: Int
  private let answer: Reply

  init(_ words: Words) throws {
    var words = words
    let (directory, timezone) = (try words.value("--project"), try words.value("--timezone"))
    from = Int64((try words.date("--from") ?? .now).timeIntervalSince1970.rounded(.down))
    count = try words.number("--count", in: 1...1_000) ?? 5
    answer = Reply(&words)
    let parts = words.words()
    try words.finish()
    guard let first = parts.first else {
      throw FunctionError(.usage, "Which expression or schedule? Such as: runner schedules next '0 9 * * 1-5'.")
    }
    if parts.count == 1, !first.contains(" "), !first.hasPrefix("@") {
      let entry = try Project(directory: directory).schedule(first)
      schedule = CronSchedule(
        expression: entry.trigger.expression, zone: try Self.zone(timezone ?? entry.trigger.timezone))
    } else {
      schedule = CronSchedule(
        expression: try Self.expression(parts.joined(separator: " ")), zone: try Self.zone(timezone ?? "UTC"))
    }
  }

  func run() throws -> Int32 {
    struct Line: Encodable { var time: String, local: String, note: String? }
    let lines = schedule.occurrences(after: from, limit: count).map { fire in
      Line(
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

extension CronSchedule.ClockChange {
  /// In a few words, about a fire at that local time.
  func text(_ local: CivilTime) -> String {
    switch self {
    case .madeUp(let skipped, let isOwnTime):
      "\(isOwnTime ? "and " : "")in place of \(skipped.map(\.clock).joined(separator: ", ")), which the clock skips"
    case .firstOfTwo(firesAgain: false):
      "the clock shows \(local.clock) twice; this is the first, the second is left out"
    case .firstOfTwo(firesAgain: true): "the clock shows \(local.clock) twice; this is the first"
    case .secondOfTwo: "the clock shows \(local.clock) twice; this is the second"
    }
  }
}

extension CivilTime {
  /// `02:30`, with seconds where there are some.
  fileprivate var clock: String {
    ([hour, minute] + (second == 0 ? [] : [second])).map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
