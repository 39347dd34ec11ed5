import Documents
import FoundationEssentials

extension ActivityReport {
  /// Says what the device shows, and why.
  mutating func conclude(_ clock: LocalClock, from reference: Date) {
    words = "Live Activity on \(device.title): \(sentence(clock, reference))\(updated(clock, reference))."
  }

  private func sentence(_ clock: LocalClock, _ reference: Date) -> String {
    let time = at.map { " at \(clock.exact($0, from: reference))" } ?? ""
    return switch state {
    case .absent: "none, \(absence)"
    case .waiting where reason == "early": "starts\(time) at the earliest, eight hours before votes end"
    case .waiting where reason == "failing": "none yet, the proposal cannot be read; tried again\(time) (failing)"
    case .waiting: "none yet, asked again\(time)"
    case .starting: "a push starts it\(time)\(reason.map { " (\($0))" } ?? "")"
    case .refused: "none, because the push that starts it \(refusal)"
    case .unknown: "the start was sent\(time), and no answer came: it may be shown, and is not sent again (unknown)"
    case .started: "started by a push\(time), but the app has not registered its token: it shows no votes until then"
    case .running where reason == "failing":
      "not updated, because the proposal cannot be read; the first try failed\(time) (failing)"
    case .running where reason == "channel": "started by a push\(time), and listens to its group's channel"
    case .running: "started by \(reason == "push" ? "a push" : "the app")\(time)"
    case .ended: "ended\(time), \(end)"
    }
  }

  private func updated(_ clock: LocalClock, _ reference: Date) -> String {
    guard updates > 0, let updatedAt else { return "" }
    let pushes = updates == 1 ? "1 push" : "\(updates) pushes"
    return "; \(pushes) since, the last at \(clock.exact(updatedAt, from: reference))"
  }

  private var absence: String {
    switch reason {
    case "not_active": "because the device is not active (not_active)"
    case "no_token": "because the app has registered no token that starts one (no_token)"
    case "unregistered": "because the app has withdrawn the token that starts one (unregistered)"
    case "unwanted": "because they have switched Live Activities off, by today's settings (unwanted)"
    case "closed": "because votes ended before a push was to start it (closed)"
    case "no_member": "because they are not in the group today (no_member)"
    case "disabled": "because they have switched all notifications off, by today's settings (disabled)"
    case "project_muted": "because they have muted the group, by today's settings (project_muted)"
    case "type_disabled": "because they have switched this kind off, by today's settings (type_disabled)"
    case "not_allowed": "because their settings did not allow it when it was due, though they do now (not_allowed)"
    default: "because the token that starts one is no longer good (\(reason ?? ""))"
    }
  }

  private var refusal: String {
    switch reason {
    case "Superseded": "was no longer wanted, or votes had ended, when it was to go out (Superseded)"
    case "expired": "could not be sent before votes ended (expired)"
    default: "was not accepted (\(reason ?? ""))"
    }
  }

  private var end: String {
    switch reason {
    case "ended": "by a push (ended)"
    case "closed": "because votes ended; the app had not registered its token (closed)"
    case "unregistered": "because the app said so (unregistered)"
    case "unsaid": "because APNs took no end of its group's channel for twelve hours (unsaid)"
    case "failed": "because its proposal could not be read for a day (failed)"
    case "replaced": "because its token was registered for another one (replaced)"
    default: "because its token is no longer good (\(reason ?? ""))"
    }
  }
}
