import TimeZones

/// One schedule of one function.
struct ScheduleEntry: Sendable {
  /// The function's name; numbered from the second schedule of a function on the first, too: `report-1`, `report-2`.
  var name: String
  var function: String
  var trigger: ScheduleTrigger
  var schedule: CronSchedule

  /// The CloudEvents source of its events.
  var source: String { "/schedules/\(name)" }
}

extension Manifest {
  /// All schedules in the file's order.
  ///
  /// - Throws: when a zone that was there when the file was read no longer is.
  func schedules() throws(UnknownTimeZone) -> [ScheduleEntry] {
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
