import Formats
import TimeZones

@testable import Cron

extension Int64 {
  /// The instant that a text like `2026-03-08T07:00Z` or `2026-03-08T07:00:30Z` names.
  static func utc(_ text: String) -> Int64 {
    let parts = text.split { "-T:Z".contains($0) }.compactMap { Int($0) }
    let second = parts.count > 5 ? parts[5] : 0
    let date = CivilDate(year: parts[0], month: parts[1], day: parts[2])
    return CivilTime(date: date, secondOfDay: parts[3] * 3_600 + parts[4] * 60 + second).secondsSinceEpoch
  }
}

extension CronSchedule {
  init(_ expression: String, in zone: String = "UTC") throws {
    self.init(expression: try CronExpression(expression), zone: try TimeZoneRules(identifier: zone))
  }

  /// The fires after an instant as `utc` reads them, separated by spaces; times without seconds leave these out.
  func fires(after text: String, count: Int) -> String {
    occurrences(after: .utc(text), limit: count).map { instant in
      let shown = TimeZoneRules.utc.rfc3339(at: instant)
      return shown.hasSuffix(":00Z") ? shown.dropLast(4) + "Z" : shown[...]
    }.joined(separator: " ")
  }
}
