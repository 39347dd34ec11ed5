import FoundationEssentials
import Notifications

/// A gate's input about a candidate, in plain words.
struct GateWording {
  let candidate: Candidate
  let kind: Kind
  let now: Date
  let clock: LocalClock

  func input(of gate: Gate) -> String {
    switch gate {
    case .actor: candidate.isActor ? "it was their own act" : "nobody said it was their own act"
    case .masterSwitch: candidate.isEnabled ? "notifications are on" : "they switched all notifications off"
    case .level: level
    case .preference: preference
    case .eligibility: eligibility
    case .repetition: candidate.wasNotified ? "they were told the same before" : "they were not told this before"
    case .viewing: candidate.isViewing ? "they were looking at it just then" : "they were not looking at it"
    case .device: devices
    case .batch: batch
    case .quietHours: quietHours
    case .rateLimit: rateLimit
    }
  }

  /// The consequence of an answer; `nil` unless the gate stopped the notification.
  func outcome(_ answer: Gate.Answer) -> String? {
    guard case .stopped(let decision) = answer else { return nil }
    switch decision {
    case .notify: return nil
    case .hold(let hold): return "HELD until \(clock.brief(hold.until, from: now))"
    case .suppress(.quietHours): return candidate.quietUntil == nil ? "STOPPED" : "STOPPED: this does not wait so long"
    case .suppress(.rateLimited): return "STOPPED: this does not wait so long"
    case .suppress: return "STOPPED"
    }
  }

  /// The app's word for what a notification is of.
  private var place: String { kind.app.profile.groups?.name ?? "project or group" }

  private var level: String {
    guard kind.canBeSilenced else { return "a mute does not stop this kind" }
    return switch candidate.level {
    case .all: "the \(place) is not muted"
    case .important:
      kind.isPressing
        ? "only what asks for an answer comes through; this does"
        : "only what asks for an answer comes through; this does not"
    case .muted: "the \(place) is muted"
    }
  }

  private var preference: String {
    let name = kind.name.replacing("_", with: " ")
    guard kind.canBeSilenced else { return "\(name) cannot be switched off" }
    if let override = candidate.override { return "\(name) is \(word(override)) for this \(place)" }
    if let personal = candidate.personal, !(personal && kind.isOnByDefault) { return "\(name) is \(word(personal))" }
    return kind.isOnByDefault ? "\(name) is on" : "\(name) is off unless somebody switches it on"
  }

  private func word(_ isOn: Bool) -> String { isOn ? "switched on" : "switched off" }

  private var eligibility: String {
    switch candidate.eligibility {
    case .open: "it still concerned them"
    case .handled: "they had read or done it, or it was over"
    case .gone: "it is gone"
    case .notPermitted: "they are no longer a member"
    }
  }

  private var devices: String {
    switch candidate.devices.count {
    case 0: "no active device with the app"
    case 1: "1 active device"
    case let count: "\(count) active devices"
    }
  }

  private var batch: String {
    guard kind.batches(for: candidate.reason) else { return "this kind is not gathered" }
    guard let window = candidate.openWindow else { return "none like it in the last 10 minutes" }
    return "one like it went out just before; gathered until \(clock.brief(window.end, from: now))"
  }

  private var quietHours: String {
    let mute = candidate.mutedUntil.map { "muted until \(clock.brief($0, from: now))" }
    let hours = candidate.quietHours.map { hours in
      let span = [hours.startMinute, hours.endMinute].map(LocalClock.time(minute:)).joined(separator: "–")
      return "\(span) \(clock.zone), it was \(clock.time(now))"
    }
    guard mute != nil || hours != nil else { return "none" }
    let words = [mute, hours].compactMap(\.self).joined(separator: "; ")
    guard candidate.quietUntil != nil else { return words }
    if kind.importance == .urgent || kind.quietHours == .pass { return "\(words); this kind goes out at any hour" }
    return kind.quietHours == .drop ? "\(words); this kind is not sent later" : words
  }

  private var rateLimit: String {
    if kind.isPressing { return "what asks for an answer does not count" }
    guard let limit = candidate.hourlyLimit else { return "none" }
    let count = candidate.recentPushes.filter { now.timeIntervalSince($0) < HourlyLimit.window }.count
    return "\(count) of \(limit) \(limit == 1 ? "push" : "pushes") in the last hour"
  }
}

extension Gate {
  /// The gate's question in a few words.
  var title: String {
    switch self {
    case .actor: "own act"
    case .masterSwitch: "all switched off"
    case .level: "muted"
    case .preference: "kind off"
    case .eligibility: "still current"
    case .repetition: "told before"
    case .viewing: "looking at it"
    case .device: "devices"
    case .batch: "gathering"
    case .quietHours: "quiet hours"
    case .rateLimit: "pushes an hour"
    }
  }
}
