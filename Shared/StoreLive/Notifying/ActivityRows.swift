package import Notifications
package import Postgres

extension SQL {
  /// Whether a row of `live_activities` is one of an app's about a subject, and has not ended.
  package static func isRunning(_ row: SQL, of subject: SQL, in app: App) -> SQL {
    "\(row).subject_id = \(subject)::text AND \(row).app = \(app.rawValue) AND \(row).ended_at IS NULL"
  }

  /// Whether a person wants an app's Live Activities; one who has not chosen does.
  package static func wantsActivities(of person: SQL, in app: SQL) -> SQL {
    """
    coalesce((SELECT w.is_enabled FROM activity_settings w WHERE w.user_id = \(person) AND w.app = \(app)), true)
    """
  }
}
