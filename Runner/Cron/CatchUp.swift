/// The treatment of occurrences of a schedule that came due while no runner could fire them.
///
/// A wake-up is never exact. So an occurrence that is at most `tolerance` old is on time under any policy.
package struct CatchUp: Hashable, Sendable {
  package enum Policy: String, Codable, Sendable, CaseIterable {
    /// They are left out.
    case none
    /// Only the latest one fires, for all of them.
    case one
    /// All of them fire, in order.
    case all
  }

  /// An occurrence that must be fired now.
  package struct Occurrence: Hashable, Sendable {
    /// When it was due, in seconds since 1970-01-01T00:00:00Z.
    package let scheduledTime: Int64
    /// Whether it is more than the tolerance late.
    package let isPastDue: Bool
    /// How many occurrences were left out between the last fire and this one.
    package let missedCount: Int

    package init(scheduledTime: Int64, isPastDue: Bool, missedCount: Int) {
      (self.scheduledTime, self.isPastDue, self.missedCount) = (scheduledTime, isPastDue, missedCount)
    }
  }

  /// The plan for an instant.
  package struct Plan: Hashable, Sendable {
    /// To fire, in order.
    package let occurrences: [Occurrence]
    /// How many came due since the last fire, at most 10,000 more than are fired.
    let dueCount: Int

    /// How many of them are left out.
    var missedCount: Int { dueCount - occurrences.count }
  }

  package var policy: Policy
  /// How old a late occurrence may be to fire, in seconds.
  package var window: Int64
  /// How many late ones fire at most; these are the latest.
  package var limit: Int
  /// How late an occurrence may be and still be on time, in seconds.
  package var tolerance: Int64 = 60

  package init(policy: Policy = .one, window: Int64 = 6 * 3_600, limit: Int = 100) {
    (self.policy, self.window, self.limit) = (policy, window, limit)
  }

  /// The occurrences to fire at an instant.
  ///
  /// `lastFire` is when the schedule fired last, or was created, changed or resumed if that was later. No occurrence
  /// before it fires. It stays the same until the next fire, so the count is right even if some are left out.
  package func plan(_ schedule: CronSchedule, lastFire: Int64, now: Int64) -> Plan {
    let (age, count) =
      switch policy {
      case .none: (tolerance, 1)
      case .one: (max(window, tolerance), 1)
      case .all: (max(window, tolerance), limit)
      }
    let start = max(lastFire, now - age - 1)
    var times: [Int64] = []
    while times.count < count, let time = schedule.last(after: start, through: (times.last ?? now + 1) - 1) {
      times.append(time)
    }
    let missed = schedule.occurrences(
      after: lastFire, through: (times.last ?? now + 1) - 1, limit: Self.countedMisses
    ).count
    let occurrences = times.reversed().enumerated().map { index, time in
      Occurrence(
        scheduledTime: time, isPastDue: now - time > tolerance, missedCount: index == 0 ? missed : 0)
    }
    return Plan(occurrences: occurrences, dueCount: missed + times.count)
  }

  private static let countedMisses = 10_000
}
