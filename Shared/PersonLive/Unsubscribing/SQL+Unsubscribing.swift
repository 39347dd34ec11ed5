import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension SQL {
  /// `name, is_on`, no row where the person, project or group is gone.
  static func state(of unsubscription: Unsubscription) -> SQL {
    let person = unsubscription.person.id
    switch unsubscription.scope {
    case .project(let project):
      return """
        SELECT p.name, m.push_muted IS NOT TRUE AS is_on
        FROM users u JOIN projects p ON p.id = \(project)
        LEFT JOIN project_member_preferences m ON m.user_id = u.id AND m.project_id = p.id
        WHERE u.id = \(person)
        """
    case .group(let group):
      return """
        SELECT g.name, m.notification_level IS DISTINCT FROM \(Candidate.Level.muted.rawValue) AS is_on
        FROM users u JOIN groups g ON g.id = \(group)
        LEFT JOIN group_notification_preferences m ON m.user_id = u.id AND m.group_id = g.id
        WHERE u.id = \(person)
        """
    case .kind(let kind):
      let settings = Settings(of: kind, for: "c", in: "NULL::uuid")
      return """
        SELECT NULL::text AS name, coalesce(\(settings.personal), \(kind.isOnByDefault)) AS is_on
        FROM (SELECT id AS user_id FROM users WHERE id = \(person)) AS c \(settings.tables)
        """
    }
  }

  /// Sets the switch, and leaves all others as they are.
  static func turn(_ unsubscription: Unsubscription, on isOn: Bool, at now: Date) -> SQL {
    let person = unsubscription.person.id
    switch unsubscription.scope {
    case .project(let project):
      return """
        INSERT INTO project_member_preferences (id, user_id, project_id, push_muted, created_at, updated_at)
        VALUES (gen_random_uuid(), \(person), \(project), \(!isOn), \(now), \(now))
        ON CONFLICT (user_id, project_id) DO UPDATE SET push_muted = excluded.push_muted, updated_at = excluded.updated_at
        """
    case .group(let group):
      let level = isOn ? Candidate.Level.all : .muted
      return """
        INSERT INTO group_notification_preferences (id, user_id, group_id, notification_level)
        VALUES (gen_random_uuid(), \(person), \(group), \(level.rawValue))
        ON CONFLICT (user_id, group_id) DO UPDATE SET notification_level = excluded.notification_level
        """
    case .kind(let kind): return turn(kind, of: person, on: isOn, at: now)
    }
  }

  private static func turn(_ kind: Kind, of person: UUID, on isOn: Bool, at now: Date) -> SQL {
    let column = kind.preference.rawValue
    switch kind.app {
    case .feedbackKit:
      return "UPDATE users SET \(identifier: column) = \(isOn) WHERE id = \(person)"
    case .lockItIn:
      return """
        INSERT INTO user_notification_preferences (id, user_id, \(identifier: column), created_at, updated_at)
        VALUES (gen_random_uuid(), \(person), \(isOn), \(now), \(now))
        ON CONFLICT (user_id) DO UPDATE
        SET \(identifier: column) = excluded.\(identifier: column), updated_at = excluded.updated_at
        """
    case .repairMinder, .mugshot, .messageAI:
      return """
        INSERT INTO notification_settings AS s (user_id, app, switches, updated_at)
        VALUES (\(person), \(kind.app.rawValue), jsonb_build_object(\(kind.name)::text, \(isOn)), \(now))
        ON CONFLICT (user_id, app) DO UPDATE
        SET switches = s.switches || excluded.switches, updated_at = excluded.updated_at
        """
    }
  }
}
