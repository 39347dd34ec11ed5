public import FoundationEssentials
public import TimeZones

/// The hours of the day in which a person wants to be left alone, on the clock where they are.
public struct QuietHours: Sendable, Hashable {
  /// When they begin: minutes after local midnight, 0 up to 1,440.
  public let startMinute: Int
  /// The first minute after them: minutes after local midnight, 0 up to 1,440.
  ///
  /// It is before `startMinute` where they last over midnight.
  public let endMinute: Int
  /// The person's zone, an IANA name; `nil` where nobody said.
  public let timeZone: String?

  /// Hours from their edges: 22:00 and 08:00 where one is not given.
  ///
  /// With equal edges, or with minutes that no day has, it is never quiet.
  public init(startMinute: Int? = nil, endMinute: Int? = nil, timeZone: String? = nil) {
    (self.startMinute, self.endMinute) = (startMinute ?? 22 * 60, endMinute ?? 8 * 60)
    self.timeZone = timeZone
  }

  /// The first instant at which the local clock is outside the hours; `nil` when it is outside now.
  ///
  /// The clock is followed through its changes: an end that is skipped comes with the first instant after the gap, and
  /// one that the clock shows twice comes the first time.
  public func end(ifQuietAt now: Date, in rules: TimeZoneRules) -> Date? {
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

  /// How long the hours last on a clock that nobody touches; `nil` outside them.
  private func secondsLeft(at time: CivilTime) -> Int64? {
    let day = 24 * 3_600
    let length = (endMinute - startMinute) * 60
    let passed = time.secondOfDay - startMinute * 60
    let left = (length < 0 ? length + day : length) - (passed < 0 ? passed + day : passed)
    return left > 0 ? Int64(left) : nil
  }

  /// Seconds from 1970 that the rules of zones reach.
  private static let farthest = 8e12
}
