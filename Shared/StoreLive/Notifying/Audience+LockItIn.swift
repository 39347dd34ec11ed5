import FoundationEssentials
package import Notifications
import Postgres

extension Announcement<DeadlineReminder> {
  /// Reminders to the members of each proposal's group who have not voted and are due for one.
  package init(_ reminders: [DeadlineReminder], of event: EventContext) {
    self.init(reminders, to: .unreminded(reminders, event))
  }
}

extension Audience {
  // The next tick considers a person who is left out here again; so no decision is recorded every minute.
  fileprivate static func unreminded(_ reminders: [DeadlineReminder], _ event: EventContext) -> Audience {
    let recently = event.now.addingTimeInterval(-DeadlineReminder.pauseAfterCreation)
    let subjects: SQL = .rows(
      "d", ["id": "\(reminders.map(\.subject.id))", "dedupe_key": "\(reminders.map(\.dedupeKey))"])
    // The push about the proposal, which may have waited for its provider.
    let isOnItsWay: SQL = """
      s.state = 'queued' AND NOT EXISTS (
        SELECT FROM deliveries a WHERE a.notification_id = n.id AND a.accepted_at IS NOT NULL)
      """
    return Audience(
      people: """
        SELECT m.user_id, d.id AS subject_id, 'member' AS reason, NULL AS eligibility, p.group_id AS scope_id
        FROM \(subjects)
        JOIN event_proposals p ON p.id = d.id::uuid
        JOIN group_members m ON m.group_id = p.group_id
        WHERE NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
          AND NOT EXISTS (
            SELECT FROM notifications n
            WHERE n.user_id = m.user_id AND n.app = \(App.lockItIn.rawValue) AND n.dedupe_key = d.dedupe_key
              AND NOT \(event.caused("n")))
          AND NOT EXISTS (
            SELECT FROM notifications n JOIN deliveries s ON s.notification_id = n.id
            WHERE n.user_id = m.user_id AND n.proposal_id = p.id AND lower(n.type) = \(NewProposal.kind.name)
              AND (greatest(s.created_at, s.accepted_at) > \(recently) OR s.expires_at > \(event.now) AND \(isOnItsWay)))
          AND (m.user_id = p.created_by AND p.created_at > \(recently)) IS NOT TRUE
        """)
  }
}
