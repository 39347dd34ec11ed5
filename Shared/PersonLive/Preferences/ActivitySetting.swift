import FoundationEssentials
import Notifications
import Postgres

extension SQL {
  /// Turns an app's Live Activities on or off.
  static func turnActivities(on isOn: Bool, for person: Person, _ app: App, at now: Date) -> SQL {
    """
    INSERT INTO activity_settings (user_id, app, is_enabled, updated_at)
    SELECT u.id, \(app.rawValue), \(isOn), \(now) FROM users u WHERE u.id = \(person.id) FOR KEY SHARE
    ON CONFLICT (user_id, app) DO UPDATE SET is_enabled = excluded.is_enabled, updated_at = excluded.updated_at
    """
  }
}
