import FoundationEssentials
import Postgres

/// The demo's proposal: Ada made it in a group with Ben, Chloe, Eva and Hugo, and Ben has voted for its first option.
extension Demo {
  static let proposal = "f4000000-0000-4000-8000-000000000001"
  static let group = "f0000000-0000-4000-8000-000000000001"
  /// Sat, 12 January 2030, 19:00 UTC.
  static let saturday = "f5000000-0000-4000-8000-000000000001"
  /// Sun, 13 January 2030, 19:00 UTC.
  static let sunday = "f5000000-0000-4000-8000-000000000002"
  static let bensVote = "f6000000-0000-4000-8000-000000000002"
  /// A day before the proposal's deadline.
  static let dayBefore = Date(timeIntervalSince1970: 1_893_873_600 - 86_400)

  /// Casts or changes a vote as the app does, and makes the event of it.
  func cast(
    _ vote: String, by person: Person, on option: String = sunday, _ id: String = "e1", actor: String? = nil
  ) async throws -> String {
    let row: SQL = """
      (SELECT to_jsonb(v) FROM proposal_votes v WHERE option_id = \(option)::uuid AND user_id = \(person.id)::uuid)
      """
    let old = try await connection.query("SELECT \(row)::text AS row").only()["row"]
    let rows = try await connection.query(
      """
      INSERT INTO proposal_votes AS v (proposal_id, option_id, user_id, vote)
      VALUES (\(Self.proposal)::uuid, \(option)::uuid, \(person.id)::uuid, \(vote))
      ON CONFLICT (option_id, user_id) DO UPDATE SET vote = excluded.vote, updated_at = now()
      RETURNING to_jsonb(v)::text AS row
      """)
    return RowEvent.event(
      old == nil ? "INSERT" : "UPDATE", "proposal_votes", record: try rows.only().decode("row"),
      oldRecord: old ?? "null", id: id, actor: actor)
  }

  /// The words that a person reads in the inbox, oldest first.
  func inbox(of person: Person) async throws -> [String] {
    try await connection.query(
      """
      SELECT title || ' / ' || body AS text FROM notifications
      WHERE user_id = \(person.id)::uuid AND is_archived IS NOT TRUE ORDER BY created_at, title
      """
    ).decode("text")
  }
}

extension RowEvent {
  /// An event about the demo's proposal; what is there before and after is written as members of an object.
  static func proposal(
    _ type: String, from old: String? = nil, to new: String = "", _ id: String = "e1", actor: String? = nil
  ) -> String {
    func row(_ members: String) -> String {
      #"{"id":"\#(Demo.proposal)"\#(members.isEmpty ? "" : ",")\#(members)}"#
    }
    return event(
      type, "event_proposals", record: row(new), oldRecord: old.map(row) ?? "null", id: id, actor: actor)
  }
}
