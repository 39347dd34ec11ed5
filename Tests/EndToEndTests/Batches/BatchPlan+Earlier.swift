import Foundation
import FunctionKit
import TestSupport
import World

extension BatchPlan {
  /// The rows that are there before: feedbacks and proposals, and what functions have made of them.
  mutating func subjects() -> [String] {
    var sql = ["INSERT INTO experiments (app, kind) VALUES ('lockitin', 'vote_cast'), ('lockitin', 'proposal_created')"]
    for _ in 0..<random.number(6..<20) {
      sql += did(.createFeedback)
      if function == "status-changed" { for _ in 0..<random.number(0..<5) { sql += did(.vote) } }
      guard function == "action-completed" || random.percent(60) || world.proposals.isEmpty else { continue }
      sql += did(.propose)
      if function == "action-completed" { sql += requests() }
      if random.percent(25) { sql += did(.confirm) }
    }
    return sql
  }

  /// From now on the database refuses some decisions about one of the people, or badges for them.
  mutating func refusals() -> [String] {
    let isBadge = function == "action-completed"
    return [
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''refused''; END'",
      """
      CREATE TRIGGER refuse BEFORE INSERT ON \(isBadge ? "deliveries" : "decisions") FOR EACH ROW
      WHEN (NEW.user_id = '\(world.people[random.number(0..<4)].id)'\(isBadge ? "" : " AND hashtext(NEW.event_id) % 3 = 0"))
      EXECUTE FUNCTION refuse()
      """,
    ]
  }

  /// The SQL of an act that no function is told of.
  private mutating func did(_ deed: World.Deed) -> [String] { world.act(deed).flatMap(\.sql) }

  /// Requests for an answer: the last proposal, a friend request and an invitation; and rows that only have to be read.
  private mutating func requests() -> [String] {
    guard let proposal = world.proposals.last else { return [] }
    var sql = did(.befriend) + did(.invite)
    let requests = Array(world.requests.suffix(2))
    for member in world.groups[proposal.group].members where random.percent(80) {
      sql += entry(for: member, "lockitin", "proposal_created", about: proposal.id)
    }
    for (request, kind) in zip(requests, ["friend_request", "group_invite"]) {
      sql += entry(for: request.recipient, "lockitin", kind, about: request.subject)
    }
    for _ in 0..<4 {
      let person = random.pick(world.people).id
      sql += entry(for: person, random.pick(["feedbackkit", "mugshot", "repairminder"]), "like", about: nil)
    }
    return sql
  }

  /// An entry as a function leaves it, with what waits of it.
  private mutating func entry(for person: String, _ app: String, _ kind: String, about subject: String?) -> [String] {
    let entry = world.earlierEntry(for: person, app, kind, about: subject)
    let time = RFC3339.string(world.clock)
    if random.percent(25) {
      let held = World.Row(
        "held_notifications",
        [
          "notification_id": entry.id, "user_id": person, "app": app,
          "reason": random.pick(["quiet_hours", "rate_limited", "snoozed", "batched"]),
          "held_until": RFC3339.string(world.clock + Double(random.number(60..<40_000))), "held_since": time,
        ])
      return [entry.insertion, held.insertion]
    }
    guard random.percent(80) else { return [entry.insertion] }
    let delivery = """
      INSERT INTO deliveries (id, notification_id, device_token_id, user_id, app, provider, state, not_before,
        expires_at, created_at, updated_at)
      SELECT md5(id || '\(entry.id)')::uuid, '\(entry.id)', id, user_id, app, provider,
        '\(random.pick(["queued", "queued", "accepted"]))', '\(time)', '\(time)'::timestamptz + interval '1 day', '\(time)',
        '\(time)'
      FROM device_tokens WHERE user_id = '\(person)' AND app = '\(app)'
      """
    return [entry.insertion, delivery]
  }
}
