#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The time of HTTP's fields `Date` and `Retry-After`, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// A value keeps the last text that it made. Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
package struct HTTPDate {
  private var second = Int.min
  private var last = ""

  package init() {}

  /// The text for a time in seconds since 1970; it is made once a second.
  package mutating func text(at time: Int) -> String {
    if time != second { (second, last) = (time, Self.text(time)) }
    return last
  }

  private static func text(_ time: Int) -> String {
    let (days, second) = time.dividedDown(by: 86_400)
    let date = CivilDate(daysSinceEpoch: days)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))"
    return "\(weekdays[date.weekday]), \(two(date.day)) \(CivilDate.months[date.month - 1]) \(date.year) \(clock) GMT"
  }

  /// The time that a text names; `nil` for any other, and for the two forms that nothing may write any more.
  package static func date(_ text: String) -> Date? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let year = Int(words[3]),
      let month = CivilDate.months.firstIndex(of: String(words[2]))
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { Int($0) }
    guard time.count == 3, (1...31).contains(day), (1970...9999).contains(year), (0..<24).contains(time[0]),
      (0..<60).contains(time[1]), (0...60).contains(time[2])
    else { return nil }
    let days = CivilDate(year: year, month: month + 1, day: day).daysSinceEpoch
    return Date(timeIntervalSince1970: Double(days * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2]))
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
}
