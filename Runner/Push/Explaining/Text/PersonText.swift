import Documents
import FoundationEssentials
import Terminal

extension PersonDocument {
  var text: String {
    let clock = LocalClock(zone: person.timeZone)
    let head = ["\(person.title) · \(person.id) · \(clock.full(now)) \(clock.zone)"]
    let states =
      apps.isEmpty ? ["No device, no settings and no notification of any app."] : apps.flatMap { $0.lines(now) }
    let lines = head + states + [""] + history(clock)
    return lines.map(\.onOneCleanLine.trimmedAtEnd).joined(separator: "\n")
  }

  private func history(_ clock: LocalClock) -> [String] {
    let span = "since \(clock.full(since)) \(clock.zone)"
    guard !decisions.isEmpty else {
      if next != nil {
        return ["None of those looked through has this outcome; older ones may: --before takes the \"next\" of --json."]
      }
      return [
        total == 0
          ? "Nothing was decided about them \(span)."
          : "None of the \(BoundedCount.words(total)) decisions about them \(span) is what was asked for."
      ]
    }
    let width = decisions.map(\.kindTitle.columns).max() ?? 0
    let lines = decisions.flatMap { decision in
      let words = "\(decision.words(clock))\(decision.ending(clock))"
      return ["\(clock.full(decision.at))  \(decision.kindTitle.padded(to: width + 2))\(words)  [\(decision.event)]"]
    }
    let more =
      next == nil
      ? []
      : ["and others before, of \(BoundedCount.words(total)) in all; --since, --app and --outcome narrow it down."]
    return [
      "Since \(clock.full(since)) \(clock.zone); more of an event: runner why EVENT --user \(person.email ?? "USER")"
    ]
      + lines
      + more
  }
}

extension DecisionReport {
  fileprivate var kindTitle: String { kind.replacing("_", with: " ") }

  /// The fate of its pushes, in a few words.
  fileprivate func ending(_ clock: LocalClock) -> String {
    guard !pushes.isEmpty else { return "" }
    let others = hasMorePushes == true ? ", and others" : ""
    let since = pushes.compactMap(\.outageSince).min().map { " since \(clock.brief($0, from: at))" } ?? ""
    let outages = Set(pushes.compactMap(\.outage)).sorted().joined(separator: "; ")
    return "; \(DeliveryReport.tally(pushes))\(others)"
      + (outages.isEmpty ? "" : ", could not be sent\(since): \(outages)")
  }
}

extension DeliveryReport {
  /// `on 2 of 3 devices, opened`.
  fileprivate static func tally(_ pushes: [DeliveryReport]) -> String {
    let taken = pushes.filter { ["accepted", "opened", "acted"].contains($0.state) }.count
    let queued = pushes.filter { $0.state == "queued" }.count
    let devices = pushes.count == 1 ? "1 device" : "\(pushes.count) devices"
    guard queued < pushes.count else { return "queued for \(devices)" }
    let sent = taken == pushes.count ? "sent to \(devices)" : "sent to \(taken) of \(devices)"
    let opened = pushes.contains { $0.openedAt != nil } ? ", opened" : ""
    let reasons = Set(pushes.filter { $0.state != "accepted" }.compactMap(\.reason)).sorted().joined(separator: ", ")
    return sent + opened + (queued > 0 ? ", \(queued) queued" : "") + (reasons.isEmpty ? "" : " (\(reasons))")
  }
}

extension AppState {
  fileprivate func lines(_ now: Date) -> [String] {
    let clock = LocalClock(zone: timeZone)
    let quiet =
      quietHours.map { quiet in
        let state = quiet.until.map { "now, until \(clock.brief($0, from: now))" } ?? "not now"
        let days = (quiet.days ?? []).map { ", \($0.weekday) \($0.hours)" }.joined()
        return "quiet hours \(quiet.hours)\(days) \(clock.zone), \(state)"
      } ?? "no quiet hours"
    let limit = hourlyLimit.map { "\(pushesOfLastHour) of \($0) pushes in the last hour" }
    let off = switchedOff.isEmpty ? nil : "off: \(switchedOff.joined(separator: ", "))"
    let isOn = isEnabled ? "notifications on" : "all notifications switched off"
    let quieter = AppState.Mute.Level.allCases.compactMap { level -> String? in
      let names = mutes.filter { $0.level == level }.map { "\($0.place) \(title(of: $0))" }
      return names.isEmpty ? nil : "\(level == .muted ? "muted" : "only important"): \(names.joined(separator: ", "))"
    }
    let pauses = self.pauses.map { "\($0.words) muted until \(clock.brief($0.until, from: now))" }
    let activities = liveActivities == false ? "Live Activities switched off" : nil
    let parts =
      [isOn, off, activities, unreadReminders?.words] + quieter + pauses
      + ["badge \(BoundedCount.words(badge))", quiet, limit, language?.words]
    let others = deviceCount.map { ["    \(devices.count) of \(BoundedCount.words($0)) devices"] } ?? []
    let noDevice = deviceCount == nil ? "    no device" : "    no more devices"
    return ["  \(app): \(parts.compactMap(\.self).joined(separator: " · "))"]
      + (devices.isEmpty ? [noDevice] : devices.map { "    \($0.line(clock, now))" }) + others
      + windows.map { "    gathering \($0.family.replacing("_", with: " ")) until \(clock.brief($0.until, from: now))" }
      + waiting.map { waiting in
        let verdict = Verdict(decision: .hold, reason: waiting.reason, until: waiting.until)
        return "    \(waiting.kind.replacing("_", with: " ")) \(verdict.words(clock, at: now, in: app))"
      }
  }
}

extension AppState.Language {
  /// `told in de, as they chose (de-AT)`.
  fileprivate var words: String {
    "told in \(texts), as \(isChosen ? "they chose" : "their last device says")\(tag == texts ? "" : " (\(tag))")"
  }
}

extension AppState.UnreadReminders {
  fileprivate var words: String {
    switch self {
    case .off: "not reminded of what stays unread"
    case .noMailbox: "their address has no mailbox (no_mailbox)"
    }
  }
}

extension AppState.OwnDevice {
  fileprivate func line(_ clock: LocalClock, _ now: Date) -> String {
    let name = "\(device.title) \(device.provider.title)"
    let last = lastAcceptedAt.map { ", last reached \(clock.brief($0, from: now))" } ?? ", never reached"
    guard isActive else {
      let since = deactivatedAt.map { " since \(clock.brief($0, from: now))" } ?? ""
      return "\(name): not active\(since)\(deactivatedReason.map { " (\($0))" } ?? "")\(last)"
    }
    let held = heldUntil.flatMap { $0 > now ? ", asked to be left alone until \(clock.brief($0, from: now))" : nil }
    let activities = startsActivities == true ? ", Live Activities can be started" : nil
    return "\(name): active\(last)\(held ?? "")\(activities ?? "")"
  }
}
