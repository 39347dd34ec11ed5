import FoundationEssentials
import Notifications
import Postgres
import World

extension Simulation {
  /// At rest, a person who is told nothing because they know a feedback's status, or a proposal's lead, was told of it: by
  /// the last push, or in the inbox.
  func askWhatIsKnown() async throws {
    let rows = try await database.query(
      """
      SELECT d.user_id::text AS person, d.subject_id, lower(d.kind) AS kind, d.event_id, ARRAY(
          SELECT coalesce(n.data ->> 'newStatus', n.data ->> 'time_option_id') FROM notifications n
          WHERE n.user_id = d.user_id AND n.subject_id = d.subject_id AND lower(n.type) = lower(d.kind)
            AND (n.is_read OR NOT n.is_archived OR n.merged_into IS NOT NULL)) AS read
      FROM (
        SELECT DISTINCT ON (user_id, subject_id, kind) * FROM decisions
        WHERE lower(kind) IN ('status_change', 'vote_count_update')
        ORDER BY user_id, subject_id, kind, created_at DESC, length(event_id) DESC, event_id DESC
      ) d
      WHERE (d.reason = 'duplicate' OR EXISTS (
          SELECT FROM notification_rechecks r WHERE r.notification_id = d.notification_id AND r.reason = 'duplicate'))
        AND NOT EXISTS (
          SELECT FROM notifications n LEFT JOIN held_notifications h ON h.notification_id = n.id
          LEFT JOIN deliveries q ON q.notification_id = n.id AND q.state = 'queued'
          WHERE n.user_id = d.user_id AND n.subject_id = d.subject_id AND num_nonnulls(h.user_id, q.user_id) > 0)
      """)
    for row in rows {
      let (person, subject, kind): (String, String, String) = (
        try row.decode("person"), try row.decode("subject_id"), try row.decode("kind")
      )
      let states = present(kind, of: subject)
      let read: [String] = try row.decode("read")
      let told = sent.last { push in
        push.user == person && push.subject == subject && push.kind == kind
          && [.accepted, .unknown].contains(push.verdict)
      }
      let knows = states.contains { read.contains($0) || told?.payload.contains(":\"\($0)\"") == true }
      guard !states.isEmpty, !knows else { continue }
      violation(
        "never told",
        "\(kind) of \(row["event_id"] ?? "") is \(states.joined(separator: " or ")), and \(person.prefix(8)) knows "
          + "\(told?.payload ?? "nothing") and \(read)")
    }
  }

  /// The states that a notice of a kind may tell now.
  private func present(_ kind: String, of subject: String) -> [String] {
    if kind == "status_change" { return world.feedbacks.filter { $0.id == subject }.map(\.status) }
    return world.proposals.filter { $0.id == subject && $0.isOpen }.flatMap(world.leaders)
  }
}
