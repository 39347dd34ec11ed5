package import FoundationEssentials
package import Notifications
package import Postgres

extension SQL {
  /// Merges notifications into others, each with all that was merged into it before: `push_parts` follows the chain.
  package static func merge(_ merged: [(old: UUID, new: UUID, time: Date)]) -> [SQL] {
    let pairs: SQL = .rows(
      "i", ["id": "\(merged.map(\.old))", "other": "\(merged.map(\.new))", "now": "\(merged.map(\.time))"])
    return [
      """
      UPDATE notifications n
      SET merged_into = i.other, is_archived = true, counts_for_badge = false, window_ends_at = NULL, updated_at = i.now
      FROM \(pairs) WHERE n.id = i.id
      """
    ]
  }

  /// What the phone says of a notification `n`, if it was pushed, to keep while its words in the inbox change.
  package static let textOnPhone: SQL = """
    CASE WHEN n.pushed_at IS NOT NULL THEN coalesce(n.phone_text, ARRAY[n.title, n.body]::text[]) END
    """

  /// Gives notifications their words again, which the phone still says: an act was taken back, and another one is there.
  ///
  /// One that was gone returns into the inbox and the badge.
  package static func sayAgain(_ said: [(notification: UUID, text: NotificationText, data: String)]) -> SQL {
    let rows: SQL = .rows(
      "i",
      [
        "id": "\(said.map(\.notification))", "title": "\(said.map(\.text.title))", "body": "\(said.map(\.text.body))",
        "data": "\(said.map(\.data))",
      ])
    return """
      WITH corrected AS (
        SELECT n.id, n.user_id, n.app, n.counts_for_badge AND n.is_gone AS has_risen, i.title, i.body, i.data
        FROM \(rows) JOIN notifications n ON n.id = i.id WHERE n.phone_text IS NOT NULL FOR NO KEY UPDATE OF n
      ), said AS (
        UPDATE notifications n
        SET title = c.title, body = c.body, data = coalesce(n.data, '{}') || c.data::jsonb, phone_text = NULL,
          is_archived = n.is_archived AND NOT n.is_gone, is_gone = false
        FROM corrected c WHERE n.id = c.id
      )
      INSERT INTO badge_losses (user_id, app) SELECT DISTINCT user_id, app FROM corrected WHERE has_risen
      """
  }

  /// Takes entries out of the inbox that report an earlier state than a newer notification, or than the row.
  ///
  /// What still waits is merged into the newer one. An entry about several subjects stays.
  /// - Parameter newer: a query with the columns `id, user_id, app, type, subject_id, created_at`; `id` is NULL if there
  ///   is no entry.
  package static func supersede(_ newer: SQL, at now: Date) -> SQL {
    """
    WITH older AS MATERIALIZED (
      SELECT n.id, n.user_id, n.app, n.counts_for_badge, i.id AS newer, h.reason, h.held_since
      FROM (\(newer)) i JOIN notifications n ON \(isOlder("n", than: "i"))
      LEFT JOIN held_notifications h ON h.notification_id = n.id
      WHERE NOT EXISTS (
        SELECT FROM notifications m WHERE m.merged_into = n.id AND m.subject_id IS DISTINCT FROM n.subject_id)
    ), waiting AS (
      DELETE FROM held_notifications h USING older o WHERE h.notification_id = o.id AND o.newer IS NOT NULL
    ), rechecked AS (
      INSERT INTO notification_rechecks (notification_id, decision, created_at)
      SELECT id, 'merge', \(now) FROM older WHERE reason IS NOT NULL AND newer IS NOT NULL ON CONFLICT DO NOTHING
    ), merged AS (
      UPDATE notifications n SET merged_into = o.newer, is_archived = true, counts_for_badge = false, updated_at = \(now)
      FROM older o WHERE n.id = o.id AND o.reason IS NOT NULL AND o.newer IS NOT NULL
    ), patient AS (
      UPDATE held_notifications h SET held_since = least(h.held_since, o.held_since)
      FROM older o WHERE h.notification_id = o.newer AND h.reason = o.reason
    ), gone AS (
      UPDATE notifications n SET is_archived = true, is_gone = true, phone_text = \(textOnPhone), updated_at = \(now)
      FROM older o WHERE n.id = o.id AND o.reason IS NULL
    ), stale AS (
      INSERT INTO stale_entries (notification_id, user_id, app)
      SELECT id, user_id, app FROM older WHERE reason IS NOT NULL AND newer IS NULL
    )
    INSERT INTO badge_losses (user_id, app) SELECT DISTINCT user_id, app FROM older WHERE counts_for_badge
    """
  }

  /// Marks what waits to report another state than the one that a person was told of again.
  /// - Parameter newer: as in ``supersede(_:at:)``.
  package static func markWaiting(behind newer: SQL) -> SQL {
    """
    INSERT INTO stale_entries (notification_id, user_id, app)
    SELECT n.id, n.user_id, n.app FROM (\(newer)) i JOIN notifications n ON \(isOlder("n", than: "i"))
    JOIN held_notifications h ON h.notification_id = n.id
    """
  }

  private static func isOlder(_ old: SQL, than new: SQL) -> SQL {
    """
    \(old).user_id = \(new).user_id AND \(old).app = \(new).app AND \(old).type = \(new).type
      AND \(old).subject_id = \(new).subject_id
      AND (\(old).family IN ('statuses', 'leads') OR \(old).proposal_id = push_uuid(\(new).subject_id))
      AND \(old).created_at <= \(new).created_at AND (\(old).id < \(new).id) IS NOT FALSE
      AND \(old).is_read IS NOT TRUE AND \(old).is_archived IS NOT TRUE AND \(old).merged_into IS NULL
    """
  }
}
