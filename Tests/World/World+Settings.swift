import FoundationEssentials
import FunctionKit
import TestSupport

extension World {
  /// Quiet hours, zone and limit of somebody in an app.
  mutating func changePolicy() -> [String] {
    let edges = [nil, "22:00", "08:00", "00:00", "02:30", "02:00", "03:00", "21:15", "12:00", "17:00"]
    let app = random.pick(["feedbackkit", "feedbackkit", "lockitin"] + Self.apps)
    return setting(
      of: person(), app,
      [
        "quiet_hours_enabled": "\(random.percent(60))", "quiet_hours_start": random.pick(edges),
        "quiet_hours_end": random.pick(edges), "timezone": zone(),
        "hourly_limit": random.percent(60) ? "\(random.number(1..<4))" : nil,
        "quiet_hours_summary": random.pick(["true", "true", "false", nil]), "updated_at": time,
      ])
  }

  mutating func changeZone() -> [String] {
    setting(of: person(), app(), ["timezone": zone(), "updated_at": time])
  }

  private mutating func zone() -> String? { random.pick(Self.zones + [nil, "Mars/Olympus_Mons"]) }

  mutating func changeSwitch() -> [String] {
    let person = person()
    let (isOn, others) = ("\(random.percent(65))", (0..<2).map { _ in random.pick(["true", "false", nil]) })
    switch random.number(0..<7) {
    case 0: return ["UPDATE users SET push_notifications_enabled = \(isOn) WHERE id = '\(person.id)'"]
    case 1:
      let kind = random.pick(["votes", "new_comments", "new_feedback", "status_changes"])
      return ["UPDATE users SET push_notify_\(kind) = \(isOn) WHERE id = '\(person.id)'"]
    case 2:
      let row = Row(
        "project_member_preferences",
        [
          "id": random.id(), "user_id": person.id, "project_id": random.pick(projects).id, "created_at": time,
          "updated_at": time, "push_muted": "\(isOn == "false")", "push_notify_votes": others[0],
          "push_notify_new_comments": others[1],
        ])
      return [row.upsertion(on: "user_id", "project_id")]
    case 3:
      let row = Row(
        "group_notification_preferences",
        [
          "id": random.id(), "user_id": person.id, "group_id": random.pick(groups).id, "updated_at": time,
          "notification_level": random.pick(["all", "all", "important", "muted"]), "vote_cast": others[0],
        ])
      return [row.upsertion(on: "user_id", "group_id")]
    case 4:
      let column = random.pick(["notifications_enabled", "vote_cast", "vote_updates", "day_before_reminders"])
      return setting(of: person, "lockitin", [column: isOn, "updated_at": time])
    case 5:
      let switches = isOn == "true" ? "{}" : #"{"like":false}"#
      return setting(of: person, "mugshot", ["switches": switches, "updated_at": time])
    default:
      let app = random.pick(["repairminder", "messageai", "mugshot"])
      return setting(of: person, app, ["is_enabled": isOn, "updated_at": time])
    }
  }

  /// Quiet hours in which groups agree on one event after the other, and somebody leaves one or comes into it.
  mutating func sleepThroughMuch() -> [Act] {
    let hours = [clock, clock + 3 * 3_600].map { String(RFC3339.string($0).dropFirst(11).prefix(5)) }
    let settings = people.flatMap { person in
      setting(
        of: person, "lockitin",
        [
          "quiet_hours_enabled": "true", "timezone": "UTC", "hourly_limit": random.pick([nil, "1", "3"]),
          "quiet_hours_start": hours[0], "quiet_hours_end": hours[1],
          "quiet_hours_summary": random.pick(["true", "false", nil, nil]), "updated_at": time,
        ])
    }
    return [Act(settings)] + (0..<6).flatMap { _ in propose() + confirm() } + changeMembership()
  }

  private mutating func setting(of person: Person, _ app: String, _ columns: Row.Columns) -> [String] {
    let isLockItIn = app == "lockitin"
    let key =
      isLockItIn
      ? Row("user_notification_preferences", ["id": random.id(), "user_id": person.id, "created_at": time])
      : Row("notification_settings", ["user_id": person.id, "app": app])
    let row = key.with(columns)
    return [isLockItIn ? row.upsertion(on: "user_id") : row.upsertion(on: "user_id", "app")]
  }
}
