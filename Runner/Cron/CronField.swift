/// One of the six places of a cron expression.
enum CronField: CaseIterable {
  case second, minute, hour, dayOfMonth, month, dayOfWeek

  /// The name for a person.
  var name: String {
    switch self {
    case .second: "second"
    case .minute: "minute"
    case .hour: "hour"
    case .dayOfMonth: "day of month"
    case .month: "month"
    case .dayOfWeek: "day of week"
    }
  }

  /// The numbers that it may have; both 0 and 7 are Sunday.
  var bounds: ClosedRange<Int> {
    switch self {
    case .second, .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .dayOfWeek: 0...7
    }
  }

  /// The number of a month or weekday for the first three letters of its English name, in either case.
  func number(named name: Substring) -> Int? {
    switch self {
    case .month: Self.months.firstIndex(of: name.lowercased()).map { $0 + 1 }
    case .dayOfWeek: Self.weekdays.firstIndex(of: name.lowercased())
    default: nil
    }
  }

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
  private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
}
