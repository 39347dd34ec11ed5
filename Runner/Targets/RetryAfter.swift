import FoundationEssentials

/// The field `Retry-After` of an answer.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
enum RetryAfter {
  /// No target may ask for more seconds.
  static let most = 3_600

  /// How many seconds it asks for, at most ``most``; `nil` for a value of neither form.
  static func seconds(_ value: String, now: Date) -> Int? {
    if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return min(Int(value) ?? most, most) }
    guard let date = date(value) else { return nil }
    return Int(min(max(0, date.timeIntervalSince(now).rounded(.up)), Double(most)))
  }

  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func date(_ value: String) -> Date? {
    let words = value.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: String(words[2])) else { return nil }
    let numbers = ([words[1], words[3]] + words[4].split(separator: ":")).map { Int($0) ?? -1 }
    guard numbers.count == 5, numbers.allSatisfy({ $0 >= 0 }) else { return nil }
    var parts = DateComponents()
    (parts.year, parts.month, parts.day) = (numbers[1], month + 1, numbers[0])
    (parts.hour, parts.minute, parts.second) = (numbers[2], numbers[3], numbers[4])
    var calendar = Calendar(identifier: .gregorian)
    guard let utc = TimeZone(secondsFromGMT: 0) else { return nil }
    calendar.timeZone = utc
    return calendar.date(from: parts)
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
