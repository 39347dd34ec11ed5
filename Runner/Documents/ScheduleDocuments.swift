package import FoundationEssentials

/// A schedule of `functions.json`, what is due next, and what became of it last.
package struct ScheduleLine: Codable, Sendable {
  package var name: String
  package var function: String
  package var expression: String
  package var timezone: String
  /// The treatment of an occurrence while an earlier one has not ended: `skip`, `queue` or `allow`.
  package var overlap: String
  package var catchup: String
  package var next: Date?
  package var last: ScheduleFire?
  package var pausedAt: Date?

  package init(
    name: String, function: String, expression: String, timezone: String, overlap: String, catchup: String,
    next: Date?, last: ScheduleFire?, pausedAt: Date?
  ) {
    (self.name, self.function, self.expression, self.timezone) = (name, function, expression, timezone)
    (self.overlap, self.catchup) = (overlap, catchup)
    (self.next, self.last, self.pausedAt) = (next, last, pausedAt)
  }
}

/// One occurrence of a schedule that was fired or left out, and what became of it.
package struct ScheduleFire: Codable, Sendable {
  package var schedule: String
  package var event: String
  package var scheduledTime: Date
  package var firedAt: Date
  /// Seconds.
  package var lateBy: Double
  package var manual: Bool
  /// Why it was left out.
  package var skipped: String?
  /// A code of the history, or `waiting`, `retrying`, `dead`; absent if it is no longer known.
  package var outcome: String?
  package var attempts: Int?
  /// The last attempt's duration.
  package var milliseconds: Double?

  package init(
    schedule: String, event: String, scheduledTime: Date, firedAt: Date, manual: Bool, skipped: String?,
    outcome: String?, attempts: Int?, milliseconds: Double?
  ) {
    (self.schedule, self.event, self.manual) = (schedule, event, manual)
    (self.scheduledTime, self.firedAt) = (scheduledTime, firedAt)
    lateBy = firedAt.timeIntervalSince(scheduledTime)
    (self.skipped, self.outcome) = (skipped, outcome)
    (self.attempts, self.milliseconds) = (attempts, milliseconds)
  }
}

/// The event of an occurrence that was fired by hand, and was not waited for.
package struct FiredDocument: Codable, Sendable {
  package var event: String

  package init(event: String) {
    self.event = event
  }
}

/// Whether a schedule is paused now.
package struct PauseDocument: Codable, Sendable {
  package var schedule: String
  package var paused: Bool

  package init(schedule: String, paused: Bool) {
    (self.schedule, self.paused) = (schedule, paused)
  }
}

/// A time at which an expression fires.
package struct OccurrenceLine: Codable, Sendable {
  /// RFC 3339 in UTC, without fractions of a second.
  package var time: String
  /// The same by the clock of the zone.
  package var local: String
  /// The effect that a change of the clocks has on it.
  package var note: String?

  package init(time: String, local: String, note: String?) {
    (self.time, self.local, self.note) = (time, local, note)
  }
}

/// The events' clock.
package struct ClockDocument: Codable, Sendable {
  package var now: Date
  /// Seconds before the real time.
  package var offset: Double
  /// Whether it goes by anything but the real time.
  package var virtual: Bool

  package init(now: Date, offset: Double) {
    (self.now, self.offset, virtual) = (now, offset, offset != 0)
  }
}

/// A line of what happened while the clock was moved: an attempt that ended, or what a function has recorded.
///
/// The latter has members of the bundle's own, and only the first two of these for certain.
package struct ClockLine: Codable, Sendable {
  package var time: Date
  package var function: String
  package var kind: String?
  package var event: String?
  /// How many attempts came before.
  package var attempt: Int?
  package var code: String?
  package var milliseconds: Double?
  package var error: String?

  package init(
    time: Date, function: String, kind: String, event: String?, attempt: Int, code: String, milliseconds: Double,
    error: String?
  ) {
    (self.time, self.function, self.kind, self.event) = (time, function, kind, event)
    (self.attempt, self.code, self.milliseconds, self.error) = (attempt, code, milliseconds, error)
  }
}
