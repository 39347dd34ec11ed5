import FoundationEssentials
package import Notifications
package import Postgres
import StoreLive

extension SQL {
  /// Whether a person wants to hear of an app's notifications that stay unread.
  package static func wantsUnread(of person: SQL, _ app: App) -> SQL {
    """
    coalesce(
      (SELECT r.is_enabled FROM unread_settings r WHERE r.user_id = \(person) AND r.app = \(app.rawValue)), true)
    """
  }

  /// Turns that on or off.
  ///
  /// If it was off, turning it on forgets that an address has no mailbox.
  static func turnUnread(on isOn: Bool, for person: Person, _ app: App, at now: Date) -> SQL {
    """
    INSERT INTO unread_settings AS s (user_id, app, is_enabled, updated_at)
    SELECT u.id, \(app.rawValue), \(isOn), \(now) FROM users u WHERE u.id = \(person.id) FOR KEY SHARE
    ON CONFLICT (user_id, app) DO UPDATE SET is_enabled = excluded.is_enabled, updated_at = excluded.updated_at,
      gone_email = CASE WHEN s.is_enabled OR NOT excluded.is_enabled THEN s.gone_email END
    """
  }
}
