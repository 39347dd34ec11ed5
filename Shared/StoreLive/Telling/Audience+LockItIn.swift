import FoundationEssentials
public import Notifications
import Postgres

extension Announcement<DeadlineReminder> {
  /// Reminders to the members of each proposal's group who have not voted and are still to be reminded.
  public init(_ reminders: [DeadlineReminder], of event: Occurrence) {
    self.init(reminders, to: .unreminded(reminders, event))
  }
}

extension Audience {
  // A person who is left out here is looked at again at the next tick, without a decision being recorded every minute.
  fileprivate static func unreminded(_ reminders: [DeadlineReminder], _ event: Occurrence) -> Audience {
    Audience(
      people: """
        SELECT m.user_id, d.id AS subject_id, 'member' AS reason,
          coalesce(u.notifications_enabled, true) AS is_enabled, coalesce(g.notification_level, 'all') AS level,
          coalesce(g.voting_deadline, g.proposal_notifications) AS override,
          coalesce(u.voting_deadline, u.proposal_notifications) AS personal,
          u.notification_sound AS sound, u.timezone, NULL AS standing
        FROM unnest(\(reminders.map(\.subject.id)), \(reminders.map(\.dedupeKey))) AS d (id, dedupe_key)
        JOIN event_proposals p ON p.id = d.id::uuid
        JOIN group_members m ON m.group_id = p.group_id
        LEFT JOIN user_notification_preferences u ON u.user_id = m.user_id
        LEFT JOIN group_notification_preferences g ON g.user_id = m.user_id AND g.group_id = p.group_id
        WHERE NOT EXISTS (SELECT FROM proposal_votes v WHERE v.proposal_id = p.id AND v.user_id = m.user_id)
          AND NOT EXISTS (
            SELECT FROM notifications n
            WHERE n.user_id = m.user_id AND n.app = \(App.lockItIn.rawValue) AND n.dedupe_key = d.dedupe_key
              AND NOT \(event.caused("n")))
          AND NOT EXISTS (
            SELECT FROM notifications n JOIN deliveries s ON s.notification_id = n.id
            WHERE n.user_id = m.user_id AND n.proposal_id = p.id AND lower(n.type) = \(NewProposal.kind.name)
              AND s.created_at > \(event.now.addingTimeInterval(-DeadlineReminder.pauseAfterCreation)))
        """)
  }
}
