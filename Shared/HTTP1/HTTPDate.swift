package import Glibc

/// The time in the form of the field `Date`.
package struct HTTPDate {
  private var second = time_t.min
  private var text = ""

  package init() {}

  /// The time now.
  ///
  /// The text is made once a second.
  package mutating func now() -> String {
    let now = time(nil)
    guard now != second else { return text }
    (second, text) = (now, Self.text(now))
    return text
  }

  package static func text(_ time: time_t) -> String {
    var (time, parts) = (time, tm())
    gmtime_r(&time, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    let month = months[Int(parts.tm_mon)]
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(month) \(Int(parts.tm_year) + 1_900) \(clock) GMT"
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
