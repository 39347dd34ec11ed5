import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// Settles the notifications that an act answers: `handled, withdrawn, held`, and the `device` of the act if it is
  /// known.
  ///
  /// Notifications that asked for the act become read. Held ones that were never shown leave the inbox. A sender
  /// finishes a delivery that it has leased; the delivery is not sent again if it returns to the queue.
  static func settle(_ act: CompletedAct, at now: Date) -> SQL {
    """
    WITH settled AS MATERIALIZED (
      \(act.notifications)
    ), locked AS MATERIALIZED (
      SELECT d.id FROM settled s JOIN deliveries d ON d.notification_id = s.id
      WHERE d.state = 'queued' AND (\(isFree) OR d.expires_at > \(now))
      ORDER BY d.id FOR NO KEY UPDATE OF d
    ), ended AS (
      UPDATE deliveries d
      SET state = CASE WHEN \(isFree) THEN 'expired' ELSE d.state END,
        reason = CASE WHEN \(isFree) THEN \(DeliveryEnd.actionCompleted.rawValue) ELSE d.reason END,
        expires_at = CASE WHEN \(isFree) THEN d.expires_at ELSE \(now) END, updated_at = \(now)
      FROM locked l
      WHERE d.id = l.id AND d.state = 'queued'
      RETURNING d.state
    ), released AS (
      DELETE FROM held_notifications h USING settled s WHERE h.notification_id = s.id RETURNING h.*
    ), rechecked AS (
      INSERT INTO notification_rechecks (notification_id, decision, reason, created_at)
      SELECT notification_id, 'suppress', \(Suppression.alreadyHandled.rawValue), \(now) FROM released
      ON CONFLICT DO NOTHING
    ), handled AS (
      UPDATE notifications n
      SET is_read = true, updated_at = \(now),
        is_archived = n.id IN (SELECT notification_id FROM released WHERE reason <> \(Hold.Reason.snoozed.rawValue))
      FROM settled s WHERE n.id = s.id AND \(isUnread)
      RETURNING n.id
    )
    SELECT (SELECT count(*) FROM handled) AS handled, (SELECT count(*) FROM released) AS held,
      (SELECT count(*) FROM ended WHERE state = 'expired') AS withdrawn, (\(actingDevice(at: now))) AS device
    """
  }

  /// Counts what ``settle(_:at:)`` would settle.
  static func countSettled(by act: CompletedAct, at now: Date) -> SQL {
    """
    WITH settled AS MATERIALIZED (
      \(act.notifications)
    )
    SELECT
      (SELECT count(*) FROM settled s JOIN notifications n ON n.id = s.id WHERE \(isUnread)) AS handled,
      (SELECT count(*) FROM settled s JOIN held_notifications h ON h.notification_id = s.id) AS held,
      (SELECT count(*) FROM settled s JOIN deliveries d ON d.notification_id = s.id
       WHERE d.state = 'queued' AND \(isFree)) AS withdrawn,
      (\(actingDevice(at: now))) AS device
    """
  }

  private static let isUnread: SQL = "n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE"

  /// The device that has just reported something about one of the `settled`; an older report does not count.
  private static func actingDevice(at now: Date) -> SQL {
    """
    SELECT i.device_token_id FROM settled s JOIN notification_interactions i ON i.notification_id = s.id
    WHERE i.device_token_id IS NOT NULL AND i.created_at > \(now.addingTimeInterval(-120))
    ORDER BY i.created_at DESC LIMIT 1
    """
  }
}
