package import Cron
package import FoundationEssentials
package import FunctionKit
package import Manifest
package import TimeZones

/// One schedule of one function.
package struct ScheduleEntry: Sendable {
  /// The function's name; numbered from the second schedule of a function on the first, too: `report-1`, `report-2`.
  package var name: String
  package var function: String
  package var trigger: ScheduleTrigger
  package var schedule: CronSchedule

  /// The CloudEvents source of its events.
  package var source: String { "/schedules/\(name)" }

  /// The id of an occurrence's event.
  package func eventID(of time: Date) -> String { "\(name)@\(RFC3339.string(time))" }

  /// An occurrence as its function is told of it.
  /// - Parameter last: the one before, in seconds since 1970.
  package func tick(_ occurrence: CatchUp.Occurrence, firedAt: Date, last: Int64?) -> ScheduleTick {
    ScheduleTick(
      schedule: trigger.expression.text, timezone: trigger.timezone, scheduledTime: .seconds(occurrence.scheduledTime),
      firedAt: firedAt, lastScheduledTime: last.map(Date.seconds),
      nextScheduledTimes: schedule.occurrences(after: occurrence.scheduledTime, limit: 5).map(Date.seconds),
      isPastDue: occurrence.isPastDue, missedCount: occurrence.missedCount)
  }
}

extension Manifest {
  /// All schedules in the file's order.
  ///
  /// - Throws: when a zone that was there when the file was read no longer is.
  package func schedules() throws(UnknownTimeZone) -> [ScheduleEntry] {
    var entries: [ScheduleEntry] = []
    for function in functions {
      let triggers = function.triggers.compactMap { trigger in
        if case .schedule(let schedule) = trigger { schedule } else { nil }
      }
      for (index, trigger) in triggers.enumerated() {
        let zone = try TimeZoneRules(identifier: trigger.timezone)
        entries.append(
          ScheduleEntry(
            name: triggers.count == 1 ? function.name : "\(function.name)-\(index + 1)", function: function.name,
            trigger: trigger, schedule: CronSchedule(expression: trigger.expression, zone: zone)))
      }
    }
    return entries
  }
}
