package import FoundationEssentials
package import FunctionKit

/// How far a clock goes forward: by a length of time, or to the next time of day in UTC.
package enum WayAhead: Equatable, Sendable {
  /// Seconds.
  case by(Double)
  /// Seconds after midnight.
  case to(Int)

  /// Reads `90s`, `15m`, `36h`, `8d`, `2w`, `1d12h`, and `22:00`.
  ///
  /// - Throws: where the text is anything else, or a length of more than a hundred years.
  package init(_ text: String) throws(FunctionError) {
    if let time = Self.timeOfDay(text) {
      self = .to(time)
    } else if let seconds = try? TimeText.seconds(text) {
      self = .by(seconds)
    } else {
      throw FunctionError(
        .usage,
        """
        "\(text)" is no length of time and no time of day: write 90s, 15m, 36h, 8d, 2w or 1d12h, or 22:00, which is in UTC.
        """)
    }
  }

  /// Where it leads: a time of day is never now, but a day later then.
  package func end(from now: Date) -> Date {
    switch self {
    case .by(let seconds): return now.addingTimeInterval(seconds)
    case .to(let time):
      let midnight = (now.timeIntervalSince1970 / Self.day).rounded(.down) * Self.day
      let today = Date(timeIntervalSince1970: midnight + Double(time))
      return today > now ? today : today.addingTimeInterval(Self.day)
    }
  }

  private static let day = 86_400.0

  /// One or two digits for the hour, two for the minute.
  private static func timeOfDay(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    return hour * 3_600 + minute * 60
  }
}
