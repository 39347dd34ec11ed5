import Formats
package import FoundationEssentials
package import FunctionKit

/// Times and lengths of time as people read them.
package enum TimeText {
  /// UTC to the second: `2026-08-02 13:04:05Z`.
  package static func of(_ date: Date) -> String {
    let text = RFC3339.string(Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)))
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))Z"
  }

  /// The time as exactly as PostgreSQL keeps it: `2026-08-02T13:04:05.000123Z`.
  package static func exact(_ date: Date) -> String {
    let (seconds, microseconds) = Int((date.timeIntervalSince1970 * 1e6).rounded())
      .quotientAndRemainder(dividingBy: 1_000_000)
    let fraction = "\(1_000_000 + microseconds)".dropFirst()
    return "\(RFC3339.seconds(Date(timeIntervalSince1970: Double(seconds))).dropLast()).\(fraction)Z"
  }

  /// The same for a narrow column: `08-02 13:04:05Z` in the year that it is.
  package static func brief(_ date: Date, now: Date = .now) -> String {
    let (text, today) = (of(date), of(now))
    return text.prefix(5) == today.prefix(5) ? String(text.dropFirst(5)) : text
  }

  /// As pages write an instant, in UTC: `2 Aug, 13:04 UTC`, and `2 Aug 2025, 13:04 UTC` in another year.
  package static func onPage(_ date: Date, now: Date = .now, hasSeconds: Bool = false) -> String {
    "\(onPage(local: of(date), now: of(now), hasSeconds: hasSeconds)) UTC"
  }

  /// The same of a local time, whose zone is said elsewhere: `2 Aug, 13:04`.
  ///
  /// - Parameters:
  ///   - text: begins as RFC 3339 does: `2026-08-02 13:04:05`.
  ///   - now: begins with the year that it is.
  package static func onPage(
    local text: some StringProtocol, now: some StringProtocol, hasSeconds: Bool = false
  ) -> String {
    let year = text.prefix(4) == now.prefix(4) ? "" : " \(text.prefix(4))"
    return "\(day(text))\(year), \(text.dropFirst(11).prefix(hasSeconds ? 8 : 5))"
  }

  /// A day of a year: `2 Aug` of `2026-08-02`.
  package static func day(_ text: some StringProtocol) -> String {
    let (month, day) = (Int(text.dropFirst(5).prefix(2)) ?? 0, text.dropFirst(8).prefix(2))
    let name = CivilDate.months.indices.contains(month - 1) ? CivilDate.months[month - 1] : ""
    return "\(day.hasPrefix("0") ? day.dropFirst() : day) \(name)"
  }

  /// `4.2 ms`, `250 ms`, `12 s`, `3 min 20 s`, `5 h 2 min`, `8 d 3 h`.
  package static func length(_ seconds: Double) -> String {
    guard seconds >= 1 else { return "\(milliseconds(max(0, seconds) * 1_000)) ms" }
    let total = Int(seconds.rounded())
    switch total {
    case ..<60: return "\(total) s"
    case ..<3_600: return parts(total / 60, "min", total % 60, "s")
    case ..<86_400: return parts(total / 3_600, "h", total % 3_600 / 60, "min")
    default: return parts(total / 86_400, "d", total % 86_400 / 3_600, "h")
    }
  }

  /// How long ago an instant was, or how soon it is: `just now`, `12 s ago`, `2 min ago`, `5 h ago`, `in 3 d`.
  package static func ago(_ date: Date, now: Date) -> String {
    let seconds = Int(now.timeIntervalSince(date).rounded())
    let (number, unit) =
      switch abs(seconds) {
      case ..<60: (abs(seconds), "s")
      case ..<3_600: (abs(seconds) / 60, "min")
      case ..<86_400: (abs(seconds) / 3_600, "h")
      default: (abs(seconds) / 86_400, "d")
      }
    if abs(seconds) < 5 { return "just now" }
    return seconds < 0 ? "in \(number) \(unit)" : "\(number) \(unit) ago"
  }

  /// The number, with a digit behind the point if it is small.
  private static func milliseconds(_ number: Double) -> String {
    let shown = number < 10 ? (number * 10).rounded() / 10 : number.rounded(.down)
    return shown == shown.rounded() ? "\(Int(shown))" : "\(shown)"
  }

  private static func parts(_ large: Int, _ unit: String, _ small: Int, _ smaller: String) -> String {
    small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smaller)"
  }
}

extension TimeText {
  /// Reads RFC 3339, and shorter forms of it in UTC: `2026-11-29T09:00:00Z`, `2026-11-29 09:00`, `2026-11-29`.
  package static func date(_ text: String) throws(FunctionError) -> Date {
    for ending in ["", "Z", ":00Z", "T00:00:00Z"] {
      if let date = RFC3339.date(text + ending) { return date }
    }
    throw FunctionError(.usage, "\"\(text)\" is no instant: write 2026-11-29T09:00:00Z or 2026-11-29 09:00.")
  }

  /// Reads a length of time: `90s`, `15m`, `36h`, `8d`, `2w`, `1d12h`; a day has 24 hours, whatever the clocks of a
  /// country do meanwhile.
  ///
  /// - Throws: where the text is anything else, or longer than a hundred years.
  package static func seconds(_ text: String) throws(FunctionError) -> Double {
    var total = 0
    var rest = text[...]
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      guard digits.count <= 10, let count = Int(digits), let unit = rest.popFirst().flatMap({ units[$0] }) else {
        throw unreadable(text)
      }
      total += count * unit
      guard total <= longest else { throw unreadable(text) }
    }
    guard total > 0 else { throw unreadable(text) }
    return Double(total)
  }

  private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
  private static let longest = 100 * 366 * 86_400

  private static func unreadable(_ text: String) -> FunctionError {
    FunctionError(.usage, "\"\(text)\" is no length of time: write 90s, 15m, 36h, 8d, 2w or 1d12h.")
  }
}
