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
    try await openActions(of: person).count { !$0.isOver && !seenActions[person, default: []].contains($0.id) }
  }

  /// Sees who marked everything as read: then they have seen what is open, as long as it stays open.
  func noteSeen() async throws {
    let rows = try await database.query(
      """
      SELECT user_id::text AS person, xmin::text AS version FROM notification_state
      WHERE app = 'lockitin' AND all_read_at IS NOT NULL
      """)
    for row in rows {
      let (person, version): (String, String) = (try row.decode("person"), try row.decode("version"))
      let open = Set(try await openActions(of: person).map(\.id))
      let hasRead = readings.updateValue(version, forKey: person) != version
      seenActions[person] = hasRead ? open : seenActions[person, default: []].intersection(open)
    }
  }

  /// The actions that are asked of a person; a proposal's name says which options it has.
  private func openActions(of person: String) async throws -> [(id: String, isOver: Bool)] {
    let proposals = try await database.query(
      """
      SELECT id::text, group_id, options_version, deadline FROM event_proposals p
      WHERE status = 'open' AND NOT EXISTS (
        SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = \(person)::uuid)
      """)
    let mine = Set(world.groups.filter { $0.members.contains(person) }.map(\.id))
    let votes: [(id: String, isOver: Bool)] = try proposals.compactMap { row in
      guard mine.contains(try row.decode("group_id")) else { return nil }
      let version: Int = try row.decode("options_version")
      return ("\(row["id"] ?? "") \(version)", try row.decode("deadline", as: Date.self) <= clock)
    }
    let requests = try await database.query(
      """
      SELECT id::text FROM friend_requests WHERE recipient_id = \(person)::uuid AND status = 'pending'
      UNION ALL SELECT id::text FROM group_invites WHERE invitee_id = \(person)::uuid AND status = 'pending'
      """)
    return try votes + requests.map { (try $0.decode("id"), false) }
  }
}
