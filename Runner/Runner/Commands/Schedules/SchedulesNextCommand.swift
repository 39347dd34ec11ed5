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
  private let json: Bool

  init(_ words: Words) throws {
    var words = words
    let (directory, timezone) = (try words.value("--project"), try words.value("--timezone"))
    from = Int64((try words.value("--from").map(InstantText.read) ?? .now).timeIntervalSince1970.rounded(.down))
    count = try Self.count(words.value("--count"))
    json = words.flag("--json")
    var parts: [String] = []
    while let word = words.word() { parts.append(word) }
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
    let fires = schedule.occurrences(after: from, limit: count)
    guard json else {
      var table = Table(["local", "UTC", ""])
      for fire in fires {
        table.add([
          schedule.zone.rfc3339(at: fire), TimeZoneRules.utc.rfc3339(at: fire),
          schedule.clockChange(at: fire)?.text(schedule.zone.civilTime(at: fire)) ?? "",
        ])
      }
      return Console.say(table.text)
    }
    struct Line: Encodable { var time: String, local: String, note: String? }
    let lines = fires.map { fire in
      Line(
        time: TimeZoneRules.utc.rfc3339(at: fire), local: schedule.zone.rfc3339(at: fire),
        note: schedule.clockChange(at: fire)?.text(schedule.zone.civilTime(at: fire)))
    }
    return Console.say(String(decoding: try JSONCoding.encode(lines).bytes, as: UTF8.self))
  }

  private static func count(_ text: String?) throws(FunctionError) -> Int {
    guard let text else { return 5 }
    guard let count = Int(text), (1...1_000).contains(count) else {
      throw FunctionError(.usage, "--count takes a number from 1 to 1000.")
    }
    return count
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
