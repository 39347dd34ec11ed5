import Formats
package import FoundationEssentials

/// Points in time as RFC 3339 writes them, which is also what PostgreSQL's JSON functions write.
package enum RFC3339 {
  /// Reads `2026-01-02T03:04:05.6+00:00` and similar texts; `nil` when the text is anything else.
  ///
  /// It takes any number of fraction digits, `Z` or a numeric offset, and a space for the `T`.
  package static func date(_ text: String) -> Date? {
    // Each event of a table has some: bytes take a fraction of the time of characters.
    var text = text
    return text.withUTF8 { bytes in
      var reader = RFC3339Reader(text: bytes)
      return reader.date()
    }
  }

  /// Writes UTC in whole seconds, `2026-01-02T03:04:05Z`: many readers of ISO 8601 take no fraction, such as
  /// `ISO8601DateFormatter`.
  package static func seconds(_ date: Date) -> String {
    text(of: Int(date.timeIntervalSince1970.rounded(.down)) * 1_000, withMilliseconds: false)
  }

  /// Writes UTC with milliseconds: `2026-01-02T03:04:05.600Z`; a year before 0 becomes 0.
  package static func string(_ date: Date) -> String {
    text(of: Int((date.timeIntervalSince1970 * 1_000).rounded()), withMilliseconds: true)
  }

  private static func text(of milliseconds: Int, withMilliseconds: Bool) -> String {
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
      append(time / 1_000 % 60, 2, then: withMilliseconds ? "." : "Z")
      if withMilliseconds { append(time % 1_000, 3, then: "Z") }
      return end
    }
  }
}

/// Reads a time.
///
/// Valid only while the buffer is: it never leaves ``RFC3339/date(_:)``.
private struct RFC3339Reader {
  let text: UnsafeBufferPointer<UInt8>
  var position = 0

  init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

  mutating func date() -> Date? {
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
      take("T") || take("t") || take(" "), let hour = number(2), take(":"), let minute = number(2), take(":"),
      let second = number(2), let fraction = fraction(), let offset = offset(), position == text.count,
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func digit() -> Int? {
    guard position < text.count, (0x30...0x39).contains(text[position]) else { return nil }
    position += 1
    return Int(text[position - 1] - 0x30)
  }

  private mutating func number(_ count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// The part of a second; a `Date` keeps fewer than the 15 digits that count.
  private mutating func fraction() -> Double? {
    guard take(".") else { return 0 }
    var (value, unit, count) = (0, 1.0, 0)
    while let digit = digit() {
      count += 1
      guard count <= 15 else { continue }
      value = value * 10 + digit
      unit *= 10
    }
    return count == 0 ? nil : Double(value) / unit
  }

  private mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let sign = take("+") ? 1 : take("-") ? -1 : 0
    guard sign != 0, let hours = number(2) else { return nil }
    guard take(":") else { return sign * hours * 3_600 }
    guard let minutes = number(2) else { return nil }
    return sign * (hours * 3_600 + minutes * 60)
  }
}
