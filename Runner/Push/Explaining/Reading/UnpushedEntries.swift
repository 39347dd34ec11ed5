import Documents
import FoundationEssentials
import Postgres

extension SQL {
  /// How many entries of somebody's inbox the badge counts that had no push and wait for none; NULL if none does.
  ///
  /// The newest ``Phone/mostUnpushed`` unread ones are looked at.
  /// - Parameters:
  ///   - user: the column of the person's id.
  ///   - app: the column of the app's name.
  static func unpushed(of user: SQL, in app: SQL, at now: Date) -> SQL {
    """
    (SELECT nullif(count(*), 0) FROM (
      SELECT n.id, n.counts_for_badge, n.pushed_at, n.summary_id, n.expires_at FROM notifications n
      WHERE n.user_id = \(user) AND n.app = \(app) AND n.is_archived IS NOT TRUE AND coalesce(n.is_read, false) = false
      ORDER BY n.created_at DESC, n.id DESC LIMIT \(Phone.mostUnpushed)) n
    WHERE n.counts_for_badge AND n.pushed_at IS NULL AND n.summary_id IS NULL
      AND (n.expires_at IS NULL OR n.expires_at > \(now))
      AND NOT EXISTS (SELECT FROM held_notifications h WHERE h.notification_id = n.id))
    """
  }
}
