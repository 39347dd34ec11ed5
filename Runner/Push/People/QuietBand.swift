import FoundationEssentials
import Notifications
import TimeZones

/// A person's quiet hours in the next 48 hours.
struct QuietBand: Encodable {
  /// The zone by which they are meant.
  let zone: String
  let from: Date
  let until: Date
  /// The times of quiet, in their order.
  let quiet: [Span]
  /// The local midnights.
  let days: [Mark]
  /// When the clocks change.
  let changes: [Change]

  struct Span: Encodable, Equatable {
    let from: Date
    var until: Date
    /// Both by the person's clock, such as `22:00–08:00`.
    var hours: String
  }

  struct Mark: Encodable, Equatable {
    let at: Date
    /// The local day, such as `2026-03-29`.
    let day: String
  }

  struct Change: Encodable, Equatable {
    let at: Date
    /// The local times before and after, such as `02:00` and `03:00`.
    let before: String
    let after: String
  }

  private static let length: TimeInterval = 48 * 3_600

  init(_ hours: PersonReport.Quiet, zone: String?, from now: Date) {
    self.init(QuietHours(startMinute: hours.startMinute, endMinute: hours.endMinute, timeZone: zone), from: now)
  }

  init(_ hours: QuietHours, from now: Date) {
    var zones = Zones()
    let rules = zones.rules(of: hours.timeZone)
    let clock = LocalClock(zone: rules.identifier)
    zone = rules.identifier
    // Quiet hours begin and end on whole minutes, and so do the days of all zones of today.
    from = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 60).rounded(.down) * 60)
    until = from.addingTimeInterval(Self.length)
    var (quiet, days): ([Span], [Mark]) = ([], [])
    var minute = from
    var day = String(clock.full(from).prefix(10))
    while minute < until {
      let today = String(clock.full(minute).prefix(10))
      if today != day {
        days.append(Mark(at: minute, day: today))
        day = today
      }
      if hours.end(ifQuietAt: minute, in: rules) != nil {
        let end = minute.addingTimeInterval(60)
        if let last = quiet.last, last.until == minute {
          quiet[quiet.count - 1].until = end
        } else {
          quiet.append(Span(from: minute, until: end, hours: ""))
        }
      }
      minute.addTimeInterval(60)
    }
    for index in quiet.indices {
      quiet[index].hours = "\(clock.time(quiet[index].from))–\(clock.time(quiet[index].until))"
    }
    (self.quiet, self.days) = (quiet, days)
    changes = Self.changes(rules, from, until)
  }

  private static func changes(_ rules: TimeZoneRules, _ from: Date, _ until: Date) -> [Change] {
    var changes: [Change] = []
    var instant = Int64(from.timeIntervalSince1970)
    while let end = rules.period(at: instant).end, TimeInterval(end) < until.timeIntervalSince1970 {
      let before = String(rules.rfc3339(at: end - 60).dropFirst(11).prefix(5))
      let after = String(rules.rfc3339(at: end).dropFirst(11).prefix(5))
      changes.append(Change(at: Date(timeIntervalSince1970: TimeInterval(end)), before: before, after: after))
      instant = end
    }
    return changes
  }
}
