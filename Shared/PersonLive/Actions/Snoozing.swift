import FoundationEssentials
import Notifications
import Postgres

extension Transaction {
  /// Schedules a notification to go out again, unread, five minutes after the person snoozed it; returns the time.
  ///
  /// It waits in one row of `held_notifications`, however often the person asks. The push deletes the row.
  func snooze(_ chosen: ChosenAction, _ subject: ActionSubject, at now: Date) async throws -> Date {
    let asked = min(max(chosen.time ?? now, subject.sentAt), now)
    let until = asked.addingTimeInterval(Self.snooze)
    guard subject.hasPayload, until < subject.pushExpiry else {
      throw ActionRefusal.conflict("The notification cannot be sent again: it would come too late.")
    }
    let rows = try await pipeline(SQL.hold(chosen.notification, until: until, at: now))
    guard try rows[1].only().optional("eligibility", as: String.self) == "open" else {
      throw ActionRefusal.conflict("The notification cannot be sent again: what it is about has been called off.")
    }
    return until
  }

  private static let snooze: TimeInterval = 300
}

extension SQL {
  fileprivate static func hold(_ notification: UUID, until: Date, at now: Date) -> [SQL] {
    [
      // This updates a row in any state, to lock it: nobody else may mark it as read before the next statement.
      "UPDATE notifications SET is_read = false, is_archived = false, updated_at = \(now) WHERE id = \(notification)",
      "SELECT push_eligibility(n, \(now)) AS eligibility FROM notifications n WHERE n.id = \(notification)",
      """
      INSERT INTO held_notifications (notification_id, user_id, app, reason, held_until, held_since)
      SELECT n.id, n.user_id, n.app, \(Hold.Reason.snoozed.rawValue), \(until), \(now)
      FROM notifications n WHERE n.id = \(notification)
      ON CONFLICT (notification_id) DO UPDATE
      SET reason = excluded.reason, held_until = excluded.held_until, held_since = excluded.held_since
      """,
      """
      INSERT INTO notification_rechecks (notification_id, decision, reason, created_at)
      VALUES (\(notification), 'hold', \(Hold.Reason.snoozed.rawValue), \(now)) ON CONFLICT DO NOTHING
      """,
    ]
  }
}
