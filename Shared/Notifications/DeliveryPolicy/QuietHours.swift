package import FoundationEssentials
package import TimeZones

/// The hours of the day in which a person wants no pushes, in local time.
package struct QuietHours: Sendable, Hashable {
  /// The first minute: minutes after local midnight, 0 up to 1,440.
  package let startMinute: Int
  /// The first minute after them: minutes after local midnight, 0 up to 1,440.
  ///
  /// It is less than `startMinute` if they pass midnight.
  package let endMinute: Int
  /// The person's zone, an IANA name; `nil` if unknown.
  package let timeZone: String?

  /// A missing start is 22:00, and a missing end 08:00.
  ///
  /// With equal ends, or with minutes that no day has, it is never quiet.
  package init(startMinute: Int? = nil, endMinute: Int? = nil, timeZone: String? = nil) {
    (self.startMinute, self.endMinute) = (startMinute ?? 22 * 60, endMinute ?? 8 * 60)
    self.timeZone = timeZone
  }

  /// The first instant at which the local clock is outside the hours; `nil` if it is outside now.
  ///
  /// The clock may change: if it skips the end, the hours end right after the gap; if it shows the end twice, the first
  /// time counts.
  package func end(ifQuietAt now: Date, in rules: TimeZoneRules) -> Date? {
    let start = now.timeIntervalSince1970.rounded(.down)
    guard isOn, abs(start) < Self.farthest else { return nil }
    var instant = Int64(start)
    while let left = secondsLeft(at: rules.civilTime(at: instant)) {
      let end = instant + left
      instant = min(end, rules.period(at: instant).end ?? end)
    }
    return instant == Int64(start) ? nil : Date(timeIntervalSince1970: TimeInterval(instant))
  }

  private var isOn: Bool {
    let minutes = 0..<24 * 60
    return startMinute != endMinute && minutes.contains(startMinute) && minutes.contains(endMinute)
  }

  /// The seconds until the end on a clock that does not change; `nil` outside the hours.
  private func secondsLeft(at time: CivilTime) -> Int64? {
    let day = 24 * 3_600
    let length = (endMinute - startMinute) * 60
    let passed = time.secondOfDay - startMinute * 60
    let left = (length < 0 ? length + day : length) - (passed < 0 ? passed + day : passed)
    return left > 0 ? Int64(left) : nil
  }

  /// The last instant of the rules of zones, in seconds since 1970.
  private static let farthest = 8e12
}
