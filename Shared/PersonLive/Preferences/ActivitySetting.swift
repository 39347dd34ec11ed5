import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// Turns an app's Live Activities on or off.
  static func turnActivities(on isOn: Bool, for person: Person, _ app: App, at now: Date) -> SQL {
    """
    INSERT INTO activity_settings (user_id, app, is_enabled, updated_at)
    SELECT u.id, \(app.rawValue), \(isOn), \(now) FROM users u WHERE u.id = \(person.id) FOR KEY SHARE
    ON CONFLICT (user_id, app) DO UPDATE SET is_enabled = excluded.is_enabled, updated_at = excluded.updated_at
    """
  }

  /// Notes the open subjects that a person was told of: activities about them may start.
  ///
  /// Ten seconds later: the app may be about to register an activity that runs.
  static func noteOpenings(for person: Person, _ app: App, at now: Date, unless isUseless: SQL = "false") -> SQL {
    guard let rule = app.profile.activity, let subject = app.activitySubject else { return "SELECT" }
    return """
      INSERT INTO activity_changes (app, subject_id, due_at, openings)
      SELECT n.app, \(subject.subject(of: "n")), \(now.addingTimeInterval(10))::timestamptz, array_agg(n.id)
      FROM notifications n
      WHERE n.user_id = \(person.id) AND n.app = \(app.rawValue) AND n.pushed_at IS NOT NULL
        AND lower(n.type) = \(rule.opening.name) AND \(subject.openUntil("\(subject.subject(of: "n"))::text")) > \(now)
        AND NOT \(isUseless)
      GROUP BY n.app, \(subject.subject(of: "n"))
      """
  }
}
