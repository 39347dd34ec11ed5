import FoundationEssentials
import Notifications
import Postgres
import StoreLive

extension Unsubscription {
  /// `name, is_on`; no row if the person, project or group is gone.
  var state: SQL {
    switch scope {
    case .part(let id, let app):
      guard let groups = app.profile.groups else { return "SELECT WHERE false" }
      return """
        SELECT p.name, \(groups.levelWord) <> 'muted' AS is_on
        FROM users u JOIN \(identifier: groups.parents) p ON p.id = \(id)
        \(groups.join(user: "u.id", group: "p.id"))
        WHERE u.id = \(person.id)
        """
    case .kind(let kind):
      let settings = Settings(of: kind, for: "c", in: "NULL::uuid")
      return """
        SELECT NULL::text AS name, coalesce(\(settings.personal), \(kind.isOnByDefault)) AS is_on
        FROM (SELECT id AS user_id FROM users WHERE id = \(person.id)) AS c \(settings.tables)
        """
    }
  }

  /// Sets the switch and changes no other.
  func turned(on isOn: Bool, at now: Date) -> [SQL] {
    switch scope {
    case .part(let id, let app):
      guard let groups = app.profile.groups else { return [] }
      let source: SQL = """
        FROM users u JOIN \(identifier: groups.parents) p ON p.id = \(id) WHERE u.id = \(person.id) FOR KEY SHARE
        """
      return [groups.upsert([groups.level.turned(on: isOn)], of: "u.id", in: "p.id", at: now, source)]
        .compactMap(\.self)
    case .kind(let kind):
      var changes = PersonalChanges()
      changes.switches = [kind.switchKey: isOn]
      return changes.statements(for: person, app: kind.app, at: now)
    }
  }
}

extension GroupPreferences.Level {
  /// Mutes, or restores the level from before.
  fileprivate func turned(on isOn: Bool) -> Assignment {
    switch self {
    case .muted(let column): Assignment(column: column, value: "\(!isOn)")
    case .word(let column):
      Assignment(
        column: column, value: isOn ? "'all'" : "'muted'", update: isOn ? "coalesce(t.level_before_mute, 'all')" : nil)
    }
  }
}
