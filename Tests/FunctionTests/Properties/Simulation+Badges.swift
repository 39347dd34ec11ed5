import FoundationEssentials
import Postgres
import World

extension Simulation {
  /// The number that a person's badge must show, counted one by one.
  func countBadge(of person: String, _ app: String) async throws -> Int {
    app == "lockitin" ? try await countOpenActions(of: person) : try await countUnread(of: person, app)
  }

  private func countUnread(of person: String, _ app: String) async throws -> Int {
    let uncounted: Set = [
      "actor", "disabled", "project_muted", "type_disabled", "already_handled", "subject_gone", "not_permitted",
      "duplicate", "viewing",
    ]
    let rows = try await database.query(
      """
      SELECT n.id, n.is_read, n.is_archived, n.expires_at, n.merged_into,
        (SELECT string_agg(d.reason, ' ') FROM decisions d
         WHERE d.notification_id = n.id AND d.decision = 'suppress') AS reasons,
        (SELECT string_agg(r.reason, ' ') FROM notification_rechecks r
         WHERE r.notification_id = n.id AND r.decision = 'suppress') AS later
      FROM notifications n WHERE n.user_id = \(person)::uuid AND n.app = \(app)
      """)
    let counted = try rows.filter { row in
      let (isRead, isArchived): (Bool, Bool) = (try row.decode("is_read"), try row.decode("is_archived"))
      let expiry: Date? = try row.optional("expires_at")
      let reasons = Set("\(row["reasons"] ?? "") \(row["later"] ?? "")".split(separator: " ").map(String.init))
      return !isRead && !isArchived && row["merged_into"] == nil && expiry.map { $0 > clock } ?? true
        && reasons.isDisjoint(with: uncounted)
    }.map { try $0.decode("id", as: UUID.self) }
    guard app == "messageai" else { return counted.count }
    // Messages count, no matter which notification tells of them, at the end of the chain.
    var tellers: [UUID: UUID] = [:]
    for row in rows { tellers[try row.decode("id")] = try row.optional("merged_into") }
    let merged = try rows.filter { row in
      guard var teller: UUID = try row.optional("merged_into") else { return false }
      while let next = tellers[teller] { teller = next }
      return try !row.decode("is_read", as: Bool.self) && counted.contains(teller)
    }
    return counted.count + merged.count
  }

  private func countOpenActions(of person: String) async throws -> Int {
    let state = try await database.query(
      "SELECT all_read_at FROM notification_state WHERE user_id = \(person)::uuid AND app = 'lockitin'")
    let read: Date = try state.first?.optional("all_read_at") ?? .distantPast
    let proposals = try await database.query(
      """
      SELECT id, group_id, status, deadline FROM event_proposals
      WHERE created_at > \(read) OR options_changed_at > \(read)
      """)
    let voted: [UUID] = try await database.query(
      "SELECT proposal_id AS id FROM proposal_votes WHERE user_id = \(person)::uuid"
    )
    .decode("id")
    let mine = Set(world.groups.filter { $0.members.contains(person) }.map(\.id))
    let votes = try proposals.filter { row in
      let (id, group, deadline): (UUID, String, Date) = (
        try row.decode("id"), try row.decode("group_id"), try row.decode("deadline")
      )
      return mine.contains(group) && row["status"] == "open" && deadline > clock && !voted.contains(id)
    }.count
    let requests = try await database.query(
      """
      SELECT created_at FROM friend_requests WHERE recipient_id = \(person)::uuid AND status = 'pending'
      UNION ALL SELECT created_at FROM group_invites WHERE invitee_id = \(person)::uuid AND status = 'pending'
      """)
    return try votes + requests.decode("created_at", as: Date.self).filter { $0 > read }.count
  }
}
