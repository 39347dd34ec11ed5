package import FoundationEssentials

/// Points in time as RFC 3339 writes them, which is also what PostgreSQL's JSON functions write.
package enum RFC3339 {
  /// Reads `2026-01-02T03:04:05.6+00:00` and similar texts; `nil` when the text is anything else.
  ///
  /// There may be any number of fraction digits, `Z` or a numeric offset, and a space for the `T`.
  package static func date(_ text: String) -> Date? {
    var rest = Substring(text)
    guard let year = number(&rest, 4), take("-", &rest), let month = number(&rest, 2), take("-", &rest),
      let day = number(&rest, 2), take("T", &rest) || take("t", &rest) || take(" ", &rest),
      let hour = number(&rest, 2), take(":", &rest), let minute = number(&rest, 2), take(":", &rest),
      let second = number(&rest, 2), let fraction = fraction(&rest), let offset = offset(&rest), rest.isEmpty,
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    let days = daysFromCivil(year: year, month: month, day: day)
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
    let (days, time) = milliseconds.quotientAndFloorRemainder(dividingBy: 86_400_000)
    let (year, month, day) = civil(fromDays: days)
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
      append(max(0, year), year > 9_999 ? String(year).utf8.count : 4, then: "-")
      append(month, 2, then: "-")
      append(day, 2, then: "T")
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

  private static func daysFromCivil(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

extension Int {
  fileprivate func quotientAndFloorRemainder(dividingBy divisor: Int) -> (Int, Int) {
    let remainder = self % divisor
    return remainder < 0 ? (self / divisor - 1, remainder + divisor) : (self / divisor, remainder)
  }
}
