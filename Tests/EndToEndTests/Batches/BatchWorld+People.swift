import Foundation
import FunctionKit

extension BatchWorld {
  private static let apps = ["feedbackkit", "lockitin", "messageai", "mugshot", "repairminder"]
  private static let zones = ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "UTC", "Mars/Olympus_Mons", nil]

  /// Makes people with devices and settings, projects and groups.
  mutating func populate() {
    for number in 0..<14 {
      let person = Person(id: random.id(), email: "person\(number)@example.com")
      insert(into: "users", ["id": person.id, "email": person.email, "name": "Person \(number)", "created_at": time])
      people.append(person)
      for app in Self.apps {
        for device in 0..<random.pick([0, 1, 1, 1, 2]) {
          insert(
            into: "device_tokens",
            [
              "id": random.id(), "user_id": person.id, "token": "\(app) \(number).\(device)", "platform": "iOS",
              "app": app, "provider": random.pick(["apns", "apns", "fcm"]), "created_at": time, "registered_at": time,
            ])
        }
      }
    }
    for number in 0..<3 {
      let (project, crowd) = (random.id(), crowd())
      insert(
        into: "projects",
        ["id": project, "name": "Project \(number)", "api_key": "key\(number)", "owner_id": crowd[0]])
      for member in crowd.dropFirst() {
        insert(into: "project_members", ["id": random.id(), "project_id": project, "user_id": member])
      }
      projects.append(project)
    }
    for number in 0..<2 {
      let group = Group(id: random.id(), members: crowd())
      insert(into: "groups", ["id": group.id, "name": "Group \(number)", "created_at": time])
      for member in group.members {
        insert(into: "group_members", ["id": random.id(), "group_id": group.id, "user_id": member])
      }
      groups.append(group)
    }
    write("INSERT INTO experiments (app, kind) VALUES ('lockitin', 'vote_cast'), ('lockitin', 'proposal_created')")
    for _ in 0..<50 { changeDeliveryPolicy() }
    for _ in 0..<12 { changeSwitch() }
  }

  private mutating func crowd() -> [String] {
    Array(people.map(\.id).shuffled(using: &random).prefix(random.number(2..<7)))
  }

  mutating func person() -> Person { random.pick(people) }

  /// What people do between the function's chunks.
  mutating func live() {
    let person = person().id
    switch random.number(0..<9) {
    case 0: changeDeliveryPolicy()
    case 1: changeSwitch()
    case 2: look()
    case 3:
      write(
        "UPDATE device_tokens SET is_active = \(random.percent(60)) WHERE user_id = '\(person)' AND token LIKE '%.0'")
    case 4, 5:
      write(
        """
        UPDATE notifications SET is_read = true, updated_at = '\(time)'
        WHERE user_id = '\(person)' AND app = '\(random.pick(Self.apps))' AND origin = 'function'
        """)
    case 6:
      write(
        """
        UPDATE deliveries SET state = 'accepted', accepted_at = '\(time)', updated_at = '\(time)'
        WHERE state = 'queued' AND user_id = '\(person)'
        """)
    case 7:
      write("DELETE FROM votes WHERE feedback_id = '\(random.pick(feedbacks).id)' AND user_id LIKE 'sdk-%'")
    default:
      write("DELETE FROM comments WHERE feedback_id = '\(random.pick(feedbacks).id)' AND user_id LIKE 'sdk-%'")
    }
  }

  /// People look at something, some of them for hours.
  mutating func look() {
    for person in people.prefix(4) {
      let (app, subject) =
        proposals.isEmpty || random.percent(50)
        ? ("feedbackkit", feedbacks[random.number(0..<min(3, feedbacks.count))].id) : ("lockitin", proposals[0].id)
      let end = clock + Double(random.pick([0, 300, 10_000]))
      write(
        """
        INSERT INTO user_activity (user_id, app, subject_id, seen_at)
        VALUES (\(values([person.id, app, subject, RFC3339.string(end)])))
        ON CONFLICT (user_id, app) DO UPDATE SET subject_id = excluded.subject_id, seen_at = excluded.seen_at
        """)
    }
  }

  /// From now on the database refuses some decisions about one of the people, or badges for them.
  mutating func refuseSomebody() {
    let isBadge = function == "action-completed"
    write("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''refused''; END'")
    write(
      """
      CREATE TRIGGER refuse BEFORE INSERT ON \(isBadge ? "deliveries" : "decisions") FOR EACH ROW
      WHEN (NEW.user_id = '\(people[random.number(0..<4)].id)'\(isBadge ? "" : " AND hashtext(NEW.event_id) % 3 = 0"))
      EXECUTE FUNCTION refuse()
      """)
  }

  /// Quiet hours, zone and limit of somebody in an app.
  private mutating func changeDeliveryPolicy() {
    let app = random.pick(["feedbackkit", "feedbackkit", "lockitin"] + Self.apps)
    let edges = [nil, "22:00", "08:00", "00:00", "02:30", "21:15", "12:00", "17:00"]
    let policy = [
      ("quiet_hours_enabled", "\(random.percent(50))"), ("quiet_hours_start", random.pick(edges)),
      ("quiet_hours_end", random.pick(edges)), ("timezone", random.pick(Self.zones)),
      ("hourly_limit", random.percent(55) ? "\(random.number(1..<4))" : nil),
      ("quiet_hours_summary", random.pick(["true", "false", nil])), ("updated_at", time),
    ]
    let isLockItIn = app == "lockitin"
    let keys = isLockItIn ? "user_id" : "user_id, app"
    let columns =
      [("user_id", person().id)] + (isLockItIn ? [("id", random.id()), ("created_at", time)] : [("app", app)])
    write(
      """
      INSERT INTO \(isLockItIn ? "user_notification_preferences" : "notification_settings")
        (\((columns.map(\.0) + policy.map(\.0)).joined(separator: ", ")))
      VALUES (\(values(columns.map(\.1) + policy.map(\.1))))
      ON CONFLICT (\(keys)) DO UPDATE SET \(policy.map { "\($0.0) = excluded.\($0.0)" }.joined(separator: ", "))
      """)
  }

  private mutating func changeSwitch() {
    let person = person().id
    switch random.number(0..<7) {
    case 0: write("UPDATE users SET push_notifications_enabled = \(random.percent(60)) WHERE id = '\(person)'")
    case 1:
      let kinds = ["votes", "new_comments", "new_feedback", "status_changes"]
      write("UPDATE users SET push_notify_\(random.pick(kinds)) = \(random.percent(50)) WHERE id = '\(person)'")
    case 2, 3:
      let choices = [random.pick(["true", "false", nil]), random.pick(["true", "false", nil])]
      write(
        """
        INSERT INTO project_member_preferences
          (id, user_id, project_id, created_at, updated_at, push_muted, push_notify_votes, push_notify_new_comments)
        VALUES (\(values([random.id(), person, random.pick(projects), time, time, "\(random.percent(40))"] + choices)))
        ON CONFLICT (user_id, project_id) DO UPDATE SET push_muted = excluded.push_muted,
          push_notify_votes = excluded.push_notify_votes
        """)
    case 4:
      write(
        """
        INSERT INTO group_notification_preferences (id, user_id, group_id, notification_level, vote_cast)
        VALUES (\(values([random.id(), person, random.pick(groups).id, random.pick(["all", "important", "muted"]),
          random.pick(["true", "false", nil])])))
        ON CONFLICT (user_id, group_id) DO UPDATE SET notification_level = excluded.notification_level
        """)
    case 5:
      let column = random.pick(["notifications_enabled", "vote_cast", "vote_updates"])
      write(
        "UPDATE user_notification_preferences SET \(column) = \(random.percent(60)) WHERE user_id = '\(person)'")
    default:
      write(
        """
        UPDATE notification_settings SET is_enabled = \(random.percent(60)),
          switches = '\(random.pick(["{}", #"{"like":false}"#]))' WHERE user_id = '\(person)' AND app <> 'feedbackkit'
        """)
    }
  }
}
