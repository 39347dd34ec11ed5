import FunctionKit
import Postgres

/// The database's record of one event for one person: the decision, and a delivery if there is one.
struct Trace: Sendable, Equatable {
  let eventID: String
  let person: String
  let kind: String
  /// Why they were not notified; `nil` if they were.
  let reason: String?
  let delivery: Delivery?

  /// One device's part.
  struct Delivery: Sendable, Equatable {
    let state: String
    let token: String
    /// APNs' id of the push, when it is known.
    let apnsID: String?
    let reason: String?
  }
}

extension Trace {
  init(_ row: Row) throws(PostgresError) {
    eventID = try row.decode("event_id")
    person = try row.decode("person")
    kind = try row.decode("kind")
    reason = try row.decode("decision", as: String.self) == "notify" ? nil : row["reason"] ?? "unknown"
    guard let state = row["state"], let token = row["token"] else {
      delivery = nil
      return
    }
    delivery = Delivery(state: state, token: token.lowercased(), apnsID: row["apns_id"], reason: row["delivery_reason"])
  }

  /// The traces of a function's new events about a subject.
  static func query(_ step: Step, without seen: [String]) -> SQL {
    """
    SELECT d.event_id, u.name AS person, d.kind, d.decision, d.reason,
      v.state, v.apns_id, v.reason AS delivery_reason, t.token
    FROM decisions d
    JOIN users u ON u.id = d.user_id
    LEFT JOIN deliveries v ON v.notification_id = d.notification_id
    LEFT JOIN device_tokens t ON t.id = v.device_token_id
    WHERE d.function = \(step.function) AND d.subject_id = \(step.subject) AND NOT d.event_id = ANY (\(seen))
    ORDER BY u.name, d.event_id, t.created_at
    """
  }
}
