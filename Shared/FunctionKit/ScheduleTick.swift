package import FoundationEssentials

/// One occurrence of a schedule.
///
/// The event's `id` is `<name>@<scheduledTime>`, the same on every attempt.
package struct ScheduleTick: Codable, Sendable, Equatable {
  /// The cron expression.
  package var schedule: String
  /// The IANA time zone of the expression.
  package var timezone: String
  /// When it was due.
  package var scheduledTime: Date
  /// When it was fired.
  package var firedAt: Date
  /// The occurrence before it, `nil` for the first.
  package var lastScheduledTime: Date?
  /// The next occurrences.
  package var nextScheduledTimes: [Date]
  /// Whether it is late because no runner was running when it was due.
  package var isPastDue: Bool
  /// How many missed occurrences it replaces.
  package var missedCount: Int
  /// Whether a person fired it.
  package var manual: Bool

  /// An occurrence from its parts.
  package init(
    schedule: String, timezone: String, scheduledTime: Date, firedAt: Date, lastScheduledTime: Date? = nil,
    nextScheduledTimes: [Date] = [], isPastDue: Bool = false, missedCount: Int = 0, manual: Bool = false
  ) {
    (self.schedule, self.timezone, self.scheduledTime, self.firedAt) = (schedule, timezone, scheduledTime, firedAt)
    (self.lastScheduledTime, self.nextScheduledTimes) = (lastScheduledTime, nextScheduledTimes)
    (self.isPastDue, self.missedCount, self.manual) = (isPastDue, missedCount, manual)
  }
}

/// A tick of a schedule, or any object from a caller: only the time of the invocation counts.
package struct Tick: Decodable, Sendable {
  private enum CodingKeys: CodingKey {}

  /// Reads any object.
  package init(from decoder: any Decoder) throws {
    _ = try decoder.container(keyedBy: CodingKeys.self)
  }
}
