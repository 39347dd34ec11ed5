import Formats
package import FoundationEssentials
import TimeZones

/// A moment in a time zone, with its English words.
package struct LocalTime: Sendable {
  /// The seconds since 1970 by the clocks there.
  let seconds: Int64
  private let civil: CivilTime

  /// - Parameter zone: an IANA name in any case; UTC if it is `nil` or unknown.
  package init(_ moment: Date, in zone: String?) {
    let rules = zone.flatMap { try? TimeZoneRules(anyCase: $0) } ?? .utc
    civil = rules.civilTime(at: Int64(moment.timeIntervalSince1970.rounded(.down)))
    seconds = Int64(civil.date.daysSinceEpoch) * 86_400 + Int64(civil.secondOfDay)
  }

  /// `Saturday`.
  var weekday: String { Self.weekdays[civil.date.weekday] }
  /// `September`.
  var month: String { Self.months[civil.date.month - 1] }
  /// The day of the month.
  var day: Int { civil.date.day }
  /// `7:00 PM`.
  var time: String { "\(hour):\(minute) \(half)" }
  /// `Sun 7pm`, or `Sun 7:30pm`.
  var slot: String { "\(weekday.prefix(3)) \(hour)\(civil.minute == 0 ? "" : ":\(minute)")\(half.lowercased())" }

  private var hour: Int { (civil.hour + 11) % 12 + 1 }
  private var minute: String { civil.minute < 10 ? "0\(civil.minute)" : "\(civil.minute)" }
  private var half: String { civil.hour < 12 ? "AM" : "PM" }

  private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
}
