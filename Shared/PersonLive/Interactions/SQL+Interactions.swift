import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// The notification, if the device is its person's or has a delivery of it.
  static func find(_ interaction: Interaction) -> SQL {
    """
    SELECT n.id, n.created_at FROM notifications n
    WHERE n.id = \(interaction.notification) AND (
      \(interaction.device as UUID?)::uuid IS NULL
      OR EXISTS (SELECT FROM device_tokens t WHERE t.id = \(interaction.device as UUID?) AND t.user_id = n.user_id)
      OR EXISTS (SELECT FROM deliveries d WHERE d.notification_id = n.id AND d.device_token_id = \(interaction.device as UUID?)))
    """
  }

  /// Records an interaction, and marks the notification as read unless the person snoozes it.
  ///
  /// A late report of an interaction before the snooze leaves it unread. An act counts as opening too. A time before
  /// the notification or after now is an error of the device.
  /// - Returns: the notification's deliveries to advance, in one row; no row if there is no notification.
  static func record(_ interaction: Interaction, wantsItAgain: Bool = false, now: Date) -> SQL {
    let isActed = interaction.event == .acted
    return """
      WITH found AS (
        \(find(interaction))
      ), written AS (
        INSERT INTO notification_interactions (
          notification_id, device_token_id, event, action, occurred_at, created_at)
        SELECT f.id, \(interaction.device as UUID?), i.event, i.action,
          least(greatest(\(interaction.time ?? now), f.created_at), \(now)), \(now)
        FROM found f CROSS JOIN unnest(
          \(isActed ? ["opened", "acted"] : ["opened"]), \(isActed ? ["", interaction.action ?? ""] : [""])
        ) AS i (event, action)
        ON CONFLICT DO NOTHING
      ), read AS (
        UPDATE notifications n SET is_read = true, updated_at = \(now)
        FROM found f WHERE n.id = f.id AND n.is_read IS NOT TRUE AND NOT \(wantsItAgain) AND NOT EXISTS (
          SELECT FROM held_notifications h
          WHERE h.notification_id = n.id AND h.reason = \(Hold.Reason.snoozed.rawValue)
            AND h.held_since >= \(interaction.time as Date?))
      )
      SELECT ARRAY(
        SELECT d.id FROM deliveries d
        WHERE d.notification_id = f.id AND d.device_token_id = coalesce(\(interaction.device as UUID?), d.device_token_id)
        ORDER BY d.id
      ) AS deliveries
      FROM found f
      """
  }

  /// Advances a delivery that may have been shown, and never moves it back.
  ///
  /// Its lease stays, because the lease's holder still has to write the answer of APNs or FCM.
  static func move(_ delivery: UUID, to event: Interaction.Event, now: Date) -> SQL {
    """
    UPDATE deliveries SET state = \(event.rawValue), updated_at = \(now)
    WHERE id = \(delivery) AND (
      state IN ('accepted', 'unknown')
      OR state = 'queued' AND (attempts > 0 OR lease_id IS NOT NULL)
      OR state = 'opened' AND \(event == .acted))
    """
  }
}
