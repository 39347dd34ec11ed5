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

  /// The text on the phone of a notification `n`, if it was pushed, to keep while its words in the inbox change.
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

  /// Marks the earlier entries of what tells a state: `release-held` takes them out of the inbox.
  /// - Parameter newer: a query with the columns `id, user_id, app, type, subject_id, created_at`; `id` is NULL if there
  ///   is no entry.
  package static func markEarlier(than newer: SQL) -> SQL {
    """
    INSERT INTO stale_entries (notification_id, user_id, app)
    SELECT n.id, n.user_id, n.app
    FROM (\(newer)) i
    JOIN notifications n ON n.user_id = i.user_id AND n.app = i.app AND n.type = i.type AND n.subject_id = i.subject_id
    WHERE (n.family IN ('statuses', 'leads') OR n.proposal_id = push_uuid(i.subject_id)) AND n.created_at <= i.created_at
      AND n.id IS DISTINCT FROM i.id AND n.is_read IS NOT TRUE AND n.is_archived IS NOT TRUE AND n.merged_into IS NULL
    """
  }
}
