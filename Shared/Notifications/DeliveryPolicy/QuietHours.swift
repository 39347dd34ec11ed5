import Formats
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
  /// The hours that begin on some weekdays in place of the usual ones.
  package let days: [Weekday: Span]
  /// The person's zone, an IANA name; `nil` if unknown.
  package let timeZone: String?

  /// A missing start is 22:00, and a missing end 08:00.
  ///
  /// With equal ends, or with minutes that no day has, it is never quiet.
  package init(
    startMinute: Int? = nil, endMinute: Int? = nil, days: [Weekday: Span] = [:], timeZone: String? = nil
  ) {
    (self.startMinute, self.endMinute) = (startMinute ?? 22 * 60, endMinute ?? 8 * 60)
    (self.days, self.timeZone) = (days, timeZone)
  }

  /// The hours that begin on one day.
  package struct Span: Sendable, Hashable {
    /// As ``QuietHours/startMinute``.
    package let startMinute: Int
    /// As ``QuietHours/endMinute``.
    package let endMinute: Int

    package init(startMinute: Int, endMinute: Int) {
      (self.startMinute, self.endMinute) = (startMinute, endMinute)
    }

    /// How many seconds are left of it on a clock that does not change; `nil` outside.
    ///
    /// - Parameter second: the seconds since the day began on which it starts.
    fileprivate func secondsLeft(at second: Int) -> Int? {
      let minutes = 0..<24 * 60
      guard startMinute != endMinute, minutes.contains(startMinute), minutes.contains(endMinute) else { return nil }
      let end = (endMinute < startMinute ? endMinute + 24 * 60 : endMinute) * 60
      return startMinute * 60 <= second && second < end ? end - second : nil
    }
  }

  /// The first instant at which the local clock is outside the hours; `nil` if it is outside now.
  ///
  /// The clock may change: if it skips the end, the hours end right after the gap; if it shows the end twice, the first
  /// time counts. Each day's hours are shorter than a day, so they pause at least once a week.
  package func end(ifQuietAt now: Date, in rules: TimeZoneRules) -> Date? {
    let start = now.timeIntervalSince1970.rounded(.down)
    guard abs(start) < Self.farthest else { return nil }
    var instant = Int64(start)
    while let left = secondsLeft(at: rules.civilTime(at: instant)) {
      let end = instant + Int64(left)
      instant = min(end, rules.period(at: instant).end ?? end)
    }
    return instant == Int64(start) ? nil : Date(timeIntervalSince1970: TimeInterval(instant))
  }

  /// The hours that count now: those of the day before until their end, else those of today.
  package func current(at now: Date, in rules: TimeZoneRules) -> QuietHours {
    guard !days.isEmpty, abs(now.timeIntervalSince1970) < Self.farthest else { return self }
    let time = rules.civilTime(at: Int64(now.timeIntervalSince1970.rounded(.down)))
    let (before, today) = spans(at: time)
    let span = before.secondsLeft(at: time.secondOfDay + Self.day) == nil ? today : before
    return QuietHours(startMinute: span.startMinute, endMinute: span.endMinute, timeZone: timeZone)
  }

  private func secondsLeft(at time: CivilTime) -> Int? {
    let (before, today) = spans(at: time)
    return today.secondsLeft(at: time.secondOfDay) ?? before.secondsLeft(at: time.secondOfDay + Self.day)
  }

  /// The hours that began the day before, and those that begin today.
  private func spans(at time: CivilTime) -> (before: Span, today: Span) {
    let usual = Span(startMinute: startMinute, endMinute: endMinute)
    guard !days.isEmpty else { return (usual, usual) }
    let today = Weekday(of: time.date)
    return (days[today.before] ?? usual, days[today] ?? usual)
  }

  private static let day = 24 * 3_600
  /// The last instant of the rules of zones, in seconds since 1970.
  private static let farthest = 8e12
}

/// A day of the week; the raw value is its name in the API and in `quiet_hours_days`.
package enum Weekday: String, Sendable, CaseIterable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  /// The weekday of a date.
  init(of date: CivilDate) { self = Self.allCases[(date.weekday + 6) % 7] }

  /// The day before.
  var before: Weekday { Self.allCases[((Self.allCases.firstIndex(of: self) ?? 0) + 6) % 7] }
}
