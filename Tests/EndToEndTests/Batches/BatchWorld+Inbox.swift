import Foundation
import FunctionKit

extension BatchWorld {
  /// A row that an app inserts into somebody's inbox.
  mutating func insertEntry(writes: Bool) {
    let (reader, actor) = (random.percent(focus) ? people[0] : person(), person())
    let (app, type, data) = content(by: actor)
    let expiry = random.percent(25) ? clock + Double(random.number(60..<100_000)) : clock + 2_592_000
    let record = insert(
      into: "notifications",
      [
        "id": random.id(), "user_id": reader.id, "app": app, "type": type, "title": "Title \(random.number(0..<3))",
        "body": "Body", "entity_id": "7\(random.number(0..<3))", "origin": "app", "created_at": time,
        "updated_at": time, "expires_at": RFC3339.string(expiry),
      ], ["data": data], writes: writes)
    tell("INSERT", "notifications", record, by: random.percent(10) ? person().id : nil)
  }

  private mutating func content(by actor: Person) -> (app: String, type: String, data: String) {
    switch random.number(0..<10) {
    case 0..<2: ("repairminder", random.pick(["order_created", "device_status_changed", "payment_received"]), "{}")
    case 2: ("repairminder", random.pick(["ticket_message", "quote_approved", "device_assigned"]), "{}")
    case 3..<7:
      (
        "mugshot", random.pick(["like", "like", "comment", "friend_request"]),
        """
        {"actor_username":"\(actor.email)","actor_user_id":"\(actor.id)","cafe_name":"Kaffa",\
        "visit_id":"00000000-0000-4000-8000-00000000000\(random.number(0..<3))"}
        """
      )
    case 7: ("feedbackkit", "no_such_kind", "{}")
    default:
      (
        "messageai", "smart_notification",
        #"{"conversationId":"chat\#(random.number(0..<2))","messageId":"m\#(random.number(0..<40))"}"#
      )
    }
  }

  /// Somebody does what a notification asked for, or reads one, or loses what asked for something.
  mutating func complete(writes: Bool) {
    switch random.number(0..<10) {
    case 0..<4: voteOnProposal(writes: writes)
    case 4..<6: answer(writes: writes)
    case 6..<9: read(writes: writes)
    default:
      let record = insert(
        into: "badge_losses",
        ["id": random.id(), "user_id": person().id, "app": random.pick(["lockitin", "mugshot"]), "created_at": time],
        writes: writes)
      tell("INSERT", "badge_losses", record)
    }
  }

  private mutating func answer(writes: Bool) {
    guard !requests.isEmpty else { return }
    let place = random.number(0..<requests.count)
    let (old, status) = (requests[place], random.pick(["accepted", "declined"]))
    requests[place].status = status
    if writes {
      write("UPDATE \(old.table) SET status = '\(status)', updated_at = '\(time)' WHERE id = '\(old.id)'")
    }
    tell(
      "UPDATE", old.table, Self.row(old.row, "status", "\"\(status)\"", time),
      old: Self.row(old.row, "status", "\"\(old.status)\"", "2026-01-01T00:00:00Z"))
  }

  private mutating func read(writes: Bool) {
    guard !entries.isEmpty else { return }
    let place = random.number(0..<entries.count)
    let old = entries[place]
    entries[place].isRead = true
    if writes { write("UPDATE notifications SET is_read = true, updated_at = '\(time)' WHERE id = '\(old.id)'") }
    tell(
      "UPDATE", "notifications", Self.row(old.row, "is_read", "true", time),
      old: Self.row(old.row, "is_read", "\(old.isRead)", "2026-01-01T00:00:00Z"))
  }

  /// A row as an update leaves it.
  private static func row(_ row: String, _ column: String, _ value: String, _ time: String) -> String {
    let kept = row.dropLast().replacing(/"updated_at":"[^"]*"/, with: "\"updated_at\":\"\(time)\"")
    return "\(kept),\"\(column)\":\(value)}"
  }
}
