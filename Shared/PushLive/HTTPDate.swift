package import FoundationEssentials

/// The time of HTTP's `Date` and `Retry-After` fields (RFC 9110 §5.6.7); only the preferred form is read.
package enum HTTPDate {
  /// The time that a text such as `Sun, 06 Nov 1994 08:49:37 GMT` names, `nil` for any other.
  package static func date(_ text: String) -> Date? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let year = Int(words[3]),
      let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { Int($0) }
    guard time.count == 3, (1...31).contains(day), (1970...9999).contains(year), (0..<24).contains(time[0]),
      (0..<60).contains(time[1]), (0...60).contains(time[2])
    else { return nil }
    let seconds = days(year, month + 1, day) * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2]
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  // Days since 1970 of a date of the Gregorian calendar, counting years from March so that leap days come last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }
}
