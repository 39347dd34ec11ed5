import Formats
package import FoundationEssentials

/// Points in time as RFC 3339 writes them, which is also what PostgreSQL's JSON functions write.
package enum RFC3339 {
  /// Reads `2026-01-02T03:04:05.6+00:00` and similar texts; `nil` when the text is anything else.
  ///
  /// It takes any number of fraction digits, `Z` or a numeric offset, and a space for the `T`.
  package static func date(_ text: String) -> Date? {
    var rest = Substring(text)
    guard let year = number(&rest, 4), take("-", &rest), let month = number(&rest, 2), take("-", &rest),
      let day = number(&rest, 2), take("T", &rest) || take("t", &rest) || take(" ", &rest),
      let hour = number(&rest, 2), take(":", &rest), let minute = number(&rest, 2), take(":", &rest),
      let second = number(&rest, 2), let fraction = fraction(&rest), let offset = offset(&rest), rest.isEmpty,
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  /// Writes UTC in whole seconds, `2026-01-02T03:04:05Z`: many readers of ISO 8601 take no fraction, such as
  /// `ISO8601DateFormatter`.
  package static func seconds(_ date: Date) -> String {
    String(string(Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))).dropLast(5)) + "Z"
  }

  /// Writes UTC with milliseconds: `2026-01-02T03:04:05.600Z`; a year before 0 becomes 0.
  package static func string(_ date: Date) -> String {
    let milliseconds = Int((date.timeIntervalSince1970 * 1_000).rounded())
    let (days, time) = milliseconds.dividedDown(by: 86_400_000)
    let day = CivilDate(daysSinceEpoch: days)
    // An inbox page has many of them, and joining small texts would take longer than all else about an entry.
    return String(unsafeUninitializedCapacity: 40) { text in
      var end = 0
      func append(_ number: Int, _ width: Int, then mark: Unicode.Scalar) {
        var rest = number
        for place in (end..<end + width).reversed() {
          text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        text[end + width] = UInt8(ascii: mark)
        end += width + 1
      }
      append(max(0, day.year), day.year > 9_999 ? String(day.year).utf8.count : 4, then: "-")
      append(day.month, 2, then: "-")
      append(day.day, 2, then: "T")
      append(time / 3_600_000, 2, then: ":")
      append(time / 60_000 % 60, 2, then: ":")
      append(time / 1_000 % 60, 2, then: ".")
      append(time % 1_000, 3, then: "Z")
      return end
    }
  }

  private static func take(_ character: Character, _ rest: inout Substring) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  private static func number(_ rest: inout Substring, _ count: Int) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy(\.isASCII), let value = Int(digits), value >= 0 else { return nil }
    rest = rest.dropFirst(count)
    return value
  }

  private static func fraction(_ rest: inout Substring) -> Double? {
    guard take(".", &rest) else { return 0 }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest.dropFirst(digits.count)
    return digits.isEmpty ? nil : Double("0.\(digits)")
  }

  private static func offset(_ rest: inout Substring) -> Int? {
    if take("Z", &rest) || take("z", &rest) { return 0 }
    let sign = take("+", &rest) ? 1 : take("-", &rest) ? -1 : 0
    guard sign != 0, let hours = number(&rest, 2) else { return nil }
    guard take(":", &rest) else { return sign * hours * 3_600 }
    guard let minutes = number(&rest, 2) else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }
}
