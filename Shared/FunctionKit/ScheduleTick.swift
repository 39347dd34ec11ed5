public import FoundationEssentials

/// One occurrence of a schedule.
///
/// The event's `id` is `<name>@<scheduledTime>`, the same on every attempt.
public struct ScheduleTick: Codable, Sendable, Equatable {
  /// The cron expression.
  public var schedule: String
  /// The IANA zone that it is read in.
  public var timezone: String
  /// When it was due.
  public var scheduledTime: Date
  /// When it was put on its way.
  public var firedAt: Date
  /// The occurrence before it, `nil` for the first.
  public var lastScheduledTime: Date?
  /// The next occurrences.
  public var nextScheduledTimes: [Date]
  /// Whether it is late because nothing was running when it was due.
  public var isPastDue: Bool
  /// How many occurrences it stands for besides itself.
  public var missedCount: Int
  /// Whether a person fired it.
  public var manual: Bool

  /// An occurrence from its parts.
  public init(
    schedule: String, timezone: String, scheduledTime: Date, firedAt: Date, lastScheduledTime: Date? = nil,
    nextScheduledTimes: [Date] = [], isPastDue: Bool = false, missedCount: Int = 0, manual: Bool = false
  ) {
    (self.schedule, self.timezone, self.scheduledTime, self.firedAt) = (schedule, timezone, scheduledTime, firedAt)
    (self.lastScheduledTime, self.nextScheduledTimes) = (lastScheduledTime, nextScheduledTimes)
    (self.isPastDue, self.missedCount, self.manual) = (isPastDue, missedCount, manual)
  }
}
