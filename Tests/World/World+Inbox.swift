import FoundationEssentials
import FunctionKit
import TestSupport

extension World {
  /// A row that an app inserts into somebody's inbox.
  mutating func insertEntry() -> [Act] {
    let reader = random.percent(habits.focus) ? people[random.number(0..<3)] : person()
    let friend = person()
    let (app, type, data) = content(by: friend)
    let expiry = random.percent(25) ? Double(random.number(60..<100_000)) : random.pick([nil, 2_592_000])
    let row = Row(
      "notifications",
      [
        "id": random.id(), "user_id": reader.id, "app": app, "type": type, "title": "Title \(random.number(0..<3))",
        "body": "Body", "entity_id": "7\(random.number(0..<3))", "origin": "app", "created_at": time,
        "updated_at": time, "expires_at": expiry.map { RFC3339.string(clock + $0) },
      ], ["data": data, "is_read": "false"])
    entries.append(row)
    let claim = random.percent(10) ? person().id : nil
    return [
      Act(
        [row.insertion], Event("notification-created", row, by: claim),
        by: claim ?? (app == "mugshot" ? friend.id : nil), to: [reader.id])
    ]
  }

  private mutating func content(by friend: Person) -> (app: String, type: String, data: String) {
    switch random.number(0..<10) {
    case 0..<2: ("repairminder", random.pick(["order_created", "device_status_changed", "payment_received"]), "{}")
    case 2: ("repairminder", random.pick(["ticket_message", "quote_approved", "device_assigned"]), "{}")
    case 3..<7:
      (
        "mugshot", random.pick(["like", "like", "comment", "friend_request"]),
        """
        {"actor_username":"\(friend.name)","actor_user_id":"\(friend.id)","cafe_name":"Kaffa",\
        "visit_id":"00000000-0000-4000-8000-00000000000\(random.number(0..<3))"}
        """
      )
    case 7 where habits.insertsUnknownKinds: ("feedbackkit", "no_such_kind", "{}")
    default:
      (
        "messageai", "smart_notification",
        #"{"conversationId":"chat\#(random.number(0..<2))","messageId":"m\#(random.number(0..<40))"}"#
      )
    }
  }

  /// An entry that a function made earlier; where it is about nothing, people may read it.
  package mutating func earlierEntry(for person: String, _ app: String, _ type: String, about subject: String?) -> Row {
    let id = random.id()
    let row = Row(
      "notifications",
      [
        "id": id, "user_id": person, "app": app, "type": type, "title": "Title", "body": "Body", "origin": "function",
        "function": "earlier", "source": "/db", "source_event_id": id, "subject_id": subject,
        "proposal_id": type == "proposal_created" ? subject : nil,
        "friend_request_id": type == "friend_request" ? subject : nil, "payload": "{}", "collapse_id": id,
        "created_at": time, "updated_at": time, "push_expires_at": RFC3339.string(clock + 86_400),
        "expires_at": RFC3339.string(clock + 2_592_000),
      ], ["is_read": "false"])
    if subject == nil { entries.append(row) }
    return row
  }

  /// Somebody reads an entry.
  mutating func readEntry() -> [Act] {
    guard !entries.isEmpty else { return [] }
    let place = random.number(0..<entries.count)
    let old = entries[place]
    let statement = entries[place].set(["is_read": "true", "updated_at": time])
    return [Act([statement], Event("action-completed", entries[place], from: old))]
  }

  /// Something is gone that a badge counted.
  mutating func loseBadge() -> [Act] {
    let row = Row(
      "badge_losses",
      ["id": random.id(), "user_id": person().id, "app": random.pick(["lockitin", "mugshot"]), "created_at": time])
    return [Act([row.insertion], Event("action-completed", row))]
  }

  /// Some people look at what is new.
  mutating func look() -> [Act] {
    let subjects =
      [("feedbackkit", feedbacks.map(\.id)), ("lockitin", proposals.map(\.id))].filter { !$0.1.isEmpty }
    guard !subjects.isEmpty else { return [] }
    let sql = people.prefix(4).map { person in
      let (app, ids) = random.pick(subjects)
      let end = clock + Double(random.pick(habits.stays))
      return Row(
        "user_activity",
        [
          "user_id": person.id, "app": app, "subject_id": random.pick(Array(ids.suffix(2))),
          "seen_at": RFC3339.string(end),
        ]
      ).upsertion(on: "user_id", "app")
    }
    return [Act(sql)]
  }

  /// Somebody reads one of the latest entries, whoever made it.
  mutating func read() -> [Act] {
    [
      Act([
        """
        UPDATE notifications SET is_read = true WHERE id = (
          SELECT id FROM notifications WHERE user_id = '\(person().id)' AND is_read IS NOT TRUE
          ORDER BY created_at DESC, app, type, subject_id LIMIT 1 OFFSET \(random.number(0..<3)))
        """
      ])
    ]
  }

  mutating func readAll() -> [Act] {
    let (person, app) = (person().id, app())
    let state = Row("notification_state", ["user_id": person, "app": app, "all_read_at": time])
    let reading = """
      UPDATE notifications SET is_read = true, updated_at = '\(time)' WHERE user_id = '\(person)' AND app = '\(app)'
      """
    return [Act((app == "lockitin" ? [state.upsertion(on: "user_id", "app")] : []) + [reading])]
  }
}
