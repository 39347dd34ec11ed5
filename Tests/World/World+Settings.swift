import FoundationEssentials
import FunctionKit
import TestSupport

extension World {
  /// Quiet hours, zone, language and limit of somebody in an app.
  mutating func changePolicy() -> [String] {
    let edges = [nil, "22:00", "08:00", "00:00", "02:30", "02:00", "03:00", "21:15", "12:00", "17:00"]
    let app = random.pick(["feedbackkit", "feedbackkit", "lockitin"] + Self.apps)
    return setting(
      of: person(), app,
      [
        "quiet_hours_enabled": "\(random.percent(60))", "quiet_hours_start": random.pick(edges),
        "quiet_hours_end": random.pick(edges), "timezone": zone(), "language": language(),
        "quiet_hours_days": quietDays(among: edges.compactMap(\.self)),
        "hourly_limit": random.percent(60) ? "\(random.number(1..<4))" : nil,
        "quiet_hours_summary": random.pick(["true", "true", "false", nil]), "updated_at": time,
      ])
  }

  mutating func changeZone() -> [String] {
    setting(of: person(), app(), ["timezone": zone(), "updated_at": time])
  }

  /// Some weekdays with hours of their own; equal ends are none.
  private mutating func quietDays(among edges: [String]) -> String? {
    guard random.percent(40) else { return nil }
    let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
      .filter { _ in random.percent(35) }
    let hours = days.map { #""\#($0)":{"start":"\#(random.pick(edges))","end":"\#(random.pick(edges))"}"# }
    return "{\(hours.joined(separator: ","))}"
  }

  /// The tag of a language that somebody has chosen; most have chosen none.
  private mutating func language() -> String? { random.percent(30) ? random.pick(Self.languages) : nil }

  /// Somebody wants to hear nothing of something for a while, or to hear of it again.
  mutating func changeMute() -> [String] {
    let person = person().id
    guard random.percent(65) else {
      return [
        """
        DELETE FROM notification_mutes WHERE (user_id, scope, target) = (
          SELECT user_id, scope, target FROM notification_mutes
          ORDER BY user_id = '\(person)' DESC, md5(user_id || scope || target) LIMIT 1)
        """
      ]
    }
    let proposal = proposals.isEmpty ? nil : proposals[place(among: proposals.count)].id
    let (scope, target) =
      switch random.number(0..<10) {
      case 0: ("person", "")
      case 1..<3: ("app", app())
      case 3..<6: ("project", random.pick(projects).id)
      case 6..<8: ("group", random.pick(groups).id)
      default: proposal.map { ("proposal", $0) } ?? ("group", random.pick(groups).id)
      }
    let seconds = random.pick([300, 3_600, 3_600, 20_000, 90_000, 200_000])
    let row = Row(
      "notification_mutes",
      [
        "user_id": person, "scope": scope, "target": target, "muted_until": RFC3339.string(clock + Double(seconds)),
        "created_at": time,
      ])
    return [
      """
      \(row.insertion) ON CONFLICT (user_id, scope, target)
      DO UPDATE SET muted_until = excluded.muted_until, created_at = excluded.created_at
      """
    ]
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
