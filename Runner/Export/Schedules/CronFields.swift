import Cron
import FunctionKit
import Manifest

/// The five fields of a schedule that an engine other than the runner is to fire.
struct CronFields {
  let minute, hour, dayOfMonth, month, dayOfWeek: String
  let timezone: String
  /// The function, for complaints.
  private let place: String
  private let engine: String

  /// - Throws: ``FunctionError/Code/misconfigured`` for an expression that has what the engine lacks: seconds or `L`.
  init(_ schedule: ScheduleTrigger, of function: FunctionEntry, on engine: String) throws(FunctionError) {
    let place = "functions.json: functions.\(function.name) has the schedule \"\(schedule.expression.text)\""
    let fields = Self.fields(schedule.expression.text)
    guard fields.count == 5 else {
      throw FunctionError(.misconfigured, "\(place) with seconds, which \(engine) cannot express: the runner can.")
    }
    (self.place, self.engine, timezone) = (place, engine, schedule.timezone)
    (minute, hour, dayOfMonth, month, dayOfWeek) = (fields[0], fields[1], fields[2], fields[3], fields[4])
  }

  /// The expression as cron writes it, for engines that read it as cron does, but count days from 0 to 6.
  func standard() throws(FunctionError) -> String {
    guard !dayOfMonth.uppercased().contains("L") else {
      throw FunctionError(.misconfigured, "\(place) with L, which \(engine) cannot express: the runner can.")
    }
    // A field that begins with `*` restricts nothing, and keeps its form.
    let hasSeven = dayOfWeek.contains("7") && !dayOfWeek.hasPrefix("*")
    return [minute, hour, dayOfMonth, month, hasSeven ? try weekdays() : dayOfWeek].joined(separator: " ")
  }

  /// The expression as EventBridge writes it: with a year, Sunday as 1, and `?` in one of the two fields of days.
  ///
  /// Source: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
  func eventBridge() throws(FunctionError) -> String {
    let anyDay = dayOfMonth == "*"
    guard anyDay || dayOfWeek == "*" else {
      throw FunctionError(
        .misconfigured, "\(place) with a day of the month and one of the week, which \(engine) cannot express together."
      )
    }
    let clock = [minute, hour].map(Self.stepped)
    let days =
      anyDay && dayOfWeek != "*"
      ? ["?", Self.stepped(month), try weekdays()]
      : [
        Self.stepped(dayOfMonth), Self.stepped(month), "?",
      ]
    return "cron(\((clock + days + ["*"]).joined(separator: " ")))"
  }

  /// `*/5` as `0/5` would be: EventBridge takes `*/5` as well, but names are capital letters.
  private static func stepped(_ field: String) -> String { field.uppercased() }

  /// The names of the days that a field selects.
  private func weekdays() throws(FunctionError) -> String {
    let names = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
    var chosen: Set<Int> = []
    for item in dayOfWeek.uppercased().split(separator: ",") {
      let parts = item.split(separator: "/")
      let ends = parts[0].split(separator: "-").map { names.firstIndex(of: String($0)) ?? Int($0) }
      let range: [Int?] = parts[0] == "*" ? [0, 6] : ends
      guard let first = range.first ?? nil, let last = range.last ?? nil, first <= last,
        let step = parts.count > 1 ? Int(parts[1]) : 1, step > 0
      else {
        throw FunctionError(.misconfigured, "\(place) with days of the week that \(engine) cannot express.")
      }
      for day in stride(from: first, through: last, by: step) { chosen.insert(day % 7) }
    }
    return chosen.sorted().map { names[$0] }.joined(separator: ",")
  }

  private static func fields(_ text: String) -> [String] {
    let nicknames = [
      "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
      "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
    ]
    let word = text.trimmed.lowercased()
    return (nicknames[word] ?? text).split { $0 == " " || $0 == "\t" }.map(String.init)
  }
}

extension String {
  fileprivate var trimmed: String { split { $0 == " " || $0 == "\t" }.joined(separator: " ") }
}
