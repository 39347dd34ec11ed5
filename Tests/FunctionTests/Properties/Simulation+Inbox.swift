import FoundationEssentials
import Postgres
import World

/// An entry that tells of an act, or a part of one.
private struct Telling {
  let id: UUID
  let person: String
  let family: String
  let subject: String
  let actor: String
  let text: String
  let status: String?
  let teller: UUID?
  let isInInbox: Bool
  let counts: Bool
  /// Whether the vote that counts is another one than it told of: the first was taken back.
  let isCastAgain: Bool

  init(_ row: Row) throws {
    (id, person) = (try row.decode("id"), try row.decode("person"))
    (family, subject) = (try row.decode("family"), row["subject_id"] ?? "")
    (actor, text, status) = (row["actor"] ?? "", row["text"] ?? "", row["status"])
    (teller, isInInbox, counts) = (
      try row.optional("merged_into"), try row.decode("is_in_inbox"), try row.decode("counts")
    )
    isCastAgain = try row.decode("is_cast_again")
  }

  /// The place that it shares with those that tell of the same.
  var place: [String] { [family, person, subject] }
}

extension Simulation {
  /// Unread entries tell the truth, at rest.
  func readInboxes() async throws {
    let rows = try await database.query(
      """
      SELECT n.id, n.user_id::text AS person, n.family, n.subject_id, n.actor, n.title || ' · ' || n.body AS text,
        n.data ->> 'newStatus' AS status, n.merged_into, n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE AS is_in_inbox,
        CASE n.family
          WHEN 'votes' THEN EXISTS (
            SELECT FROM votes v WHERE v.feedback_id = n.feedback_id AND v.user_id = n.actor)
          WHEN 'comments' THEN EXISTS (SELECT FROM comments c WHERE c.id::text = n.data ->> 'commentId')
          WHEN 'proposal_votes' THEN EXISTS (
            SELECT FROM proposal_votes v JOIN event_proposals p ON p.id = v.proposal_id
            JOIN group_members m ON m.group_id = p.group_id AND m.user_id = v.user_id
            WHERE v.proposal_id = n.proposal_id AND v.user_id::text = n.actor)
          WHEN 'conflicts' THEN EXISTS (
            SELECT FROM event_conflicts c JOIN event_proposals p ON p.id = c.proposal_id
            JOIN group_members m ON m.group_id = p.group_id AND m.user_id = c.user_id
            WHERE c.proposal_id = n.proposal_id AND c.user_id::text = n.actor)
          ELSE true END AS counts,
        n.family = 'votes' AND NOT EXISTS (
          SELECT FROM votes v
          WHERE v.feedback_id = n.feedback_id AND v.user_id = n.actor AND v.created_at <= n.created_at) AS is_cast_again
      FROM notifications n
      WHERE n.origin = 'function' AND n.family IN (
        'votes', 'comments', 'new_feedback', 'proposal_votes', 'conflicts', 'statuses')
      """)
    let told = try rows.map(Telling.init)
    let shown = Dictionary(grouping: told.filter(\.isInInbox), by: \.place)
    let tellers = Dictionary(uniqueKeysWithValues: told.map { ($0.id, $0.teller) })
    var parts: [UUID: [Telling]] = [:]
    for part in told {
      var end = part.id
      while let next = tellers[end] ?? nil { end = next }
      parts[end, default: []].append(part)
    }
    for entry in told where entry.isInInbox && entry.teller == nil {
      let beside = (shown[entry.place] ?? []).filter { $0.id != entry.id }
      judge(entry, with: parts[entry.id] ?? [], beside: Set(beside.flatMap { parts[$0.id] ?? [] }.map(\.actor)))
    }
    try await compareStatuses(told.filter { $0.family == "statuses" && $0.isInInbox }, parts)
  }

  /// Who takes a vote back and casts it again is told of by another entry, or not at all where it is one's own.
  /// - Parameter others: of whom other entries tell.
  private func judge(_ entry: Telling, with parts: [Telling], beside others: Set<String>) {
    guard entry.family != "statuses" else { return }
    let people = Set(parts.filter(\.counts).map(\.actor))
    if people.isEmpty { violation("inbox", "\(entry.text) at \(clock), and nobody did it") }
    // A title may have a number, too; the count comes first.
    let number = entry.text.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
    guard people.count > 1, entry.text.contains("people") || entry.text.contains("new items") else { return }
    let first = Set(parts.filter { $0.counts && !$0.isCastAgain }.map(\.actor))
    if !(first.subtracting(others).count...people.count).contains(number) {
      violation("inbox", "\(entry.text) at \(clock), and it is \(people.count)")
    }
  }

  /// An entry about one feedback says its status, and there is one at most.
  private func compareStatuses(_ entries: [Telling], _ parts: [UUID: [Telling]]) async throws {
    let single = entries.filter { entry in Set((parts[entry.id] ?? []).map(\.subject)).count < 2 }
    for entries in Dictionary(grouping: single, by: { "\($0.person) \($0.subject)" }).values {
      if entries.count > 1 { violation("inbox", "\(entries.map(\.text)) side by side at \(clock)") }
    }
    for entry in single {
      guard let about = world.feedbacks.first(where: { $0.id == entry.subject }), let status = entry.status else {
        continue
      }
      if status != about.status { violation("inbox", "\(entry.text) at \(clock), and it is \(about.status)") }
    }
  }
}
