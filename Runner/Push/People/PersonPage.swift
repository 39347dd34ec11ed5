import Documents
import FoundationEssentials
import Notifications
import TimeZones

extension PersonDocument {
  /// Adds what only a page shows: the next 48 hours, and whether their phones agree.
  ///
  /// - Parameter badges: what the devices show, by their rows.
  mutating func addPage(_ badges: [RowID: Int]) {
    for index in apps.indices { apps[index].addPage(badges, at: now) }
  }
}

extension AppState {
  fileprivate mutating func addPage(_ badges: [RowID: Int], at now: Date) {
    let agree = Set(devices.filter(\.isActive).compactMap { badges[$0.device.id] }).count <= 1
    for index in devices.indices {
      let shown = badges[devices[index].device.id]
      devices[index].badge = shown
      devices[index].differs =
        !agree && devices[index].isActive && badge <= BoundedCount.most && shown.map { $0 != badge } ?? false
    }
    let hours = quietHours.map { QuietHours($0, zone: timeZone) }
    let mute = pauses.filter { [.person, .app].contains($0.scope) }.map(\.until).max()
    if hours != nil || !pauses.isEmpty { band = QuietBand(hours, zone: timeZone, muted: pauses, from: now) }
    var zones = Zones()
    shownAt = hours?.end(ifQuietAt: mute ?? now, in: zones.rules(of: timeZone)) ?? mute ?? now
  }
}

extension QuietHours {
  fileprivate init(_ hours: AppState.Quiet, zone: String?) {
    let days = (hours.days ?? []).compactMap { day in
      Weekday(rawValue: day.weekday).map { ($0, Span(startMinute: day.startMinute, endMinute: day.endMinute)) }
    }
    self.init(
      startMinute: hours.startMinute, endMinute: hours.endMinute, days: Dictionary(days) { $1 }, timeZone: zone)
  }
}

extension AppState.Pause {
  /// The muted things in words: `everything`, `the app`, or `group Hikers`.
  var words: String {
    switch scope {
    case .person: "everything"
    case .app: "the app"
    case .project, .group, .proposal: "\(scope.rawValue) \(name ?? "that is gone")"
    }
  }
}

extension QuietBand {
  private static let length: TimeInterval = 48 * 3_600

  /// - Parameters:
  ///   - hours: `nil` for a person without any.
  ///   - zone: the person's.
  init(_ hours: QuietHours?, zone: String?, muted pauses: [AppState.Pause] = [], from now: Date) {
    var zones = Zones()
    let rules = zones.rules(of: zone)
    let clock = LocalClock(zone: rules.identifier)
    // Quiet hours begin and end on whole minutes, and so do the days of all zones of today.
    let from = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 60).rounded(.down) * 60)
    let until = from.addingTimeInterval(Self.length)
    var (quiet, days): ([Span], [Day]) = ([], [])
    var minute = from
    var day = String(clock.full(from).prefix(10))
    while minute < until {
      let today = String(clock.full(minute).prefix(10))
      if today != day {
        days.append(Day(at: minute, day: today))
        day = today
      }
      if hours?.end(ifQuietAt: minute, in: rules) != nil {
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
    self.init(
      zone: rules.identifier, from: from, until: until, quiet: quiet,
      muted: pauses.map { Muted(what: $0.words, until: $0.until, time: String(clock.full($0.until).prefix(16))) },
      days: days,
      changes: Self.changes(rules, from, until))
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
