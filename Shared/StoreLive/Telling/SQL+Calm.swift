import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// Whether somebody is looking at a subject, by what their device last said.
  static func isViewing(_ app: App, user: SQL, subject: SQL, at now: Date) -> SQL {
    """
    EXISTS (
      SELECT FROM user_activity a
      WHERE a.user_id = \(user) AND a.app = \(app.rawValue) AND a.subject_id = \(subject)
        AND a.seen_at > \(now.addingTimeInterval(-Gate.activityWindow)))
    """
  }

  /// When people got pushes of an app within the last hour.
  static func recentPushes(of people: [UUID], in app: App, at now: Date) -> SQL {
    """
    SELECT user_id, pushed_at FROM notifications
    WHERE user_id = ANY (\(people)) AND app = \(app.rawValue)
      AND pushed_at > \(now.addingTimeInterval(-HourlyLimit.window))
    """
  }

  /// The windows that are open for people in a family; only what was pushed has opened one.
  static func openWindows(
    of people: [UUID], in app: App, _ family: Kind.BatchingFamily, about subjects: [String], at now: Date
  ) -> SQL {
    """
    SELECT user_id, family_subject, id, window_ends_at FROM notifications
    WHERE user_id = ANY (\(people)) AND app = \(app.rawValue) AND family = \(family.rawValue)
      AND family_subject = ANY (\(subjects)) AND window_ends_at > \(now)
      AND pushed_at > \(now.addingTimeInterval(-Gate.batchWindow - 1))
    """
  }
}
