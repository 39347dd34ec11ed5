import Formats
package import FoundationEssentials
package import FunctionKit
package import Notifications
package import Postgres
import StoreLive
package import TimeZones

/// The things that a person mutes for a while.
package enum MuteScope: Sendable, Hashable {
  /// Everything, in all apps.
  case person
  case app(App)
  /// A project or group of an app that has them.
  case part(UUID, of: App)
  /// One of LockItIn's proposals.
  case proposal(UUID)

  /// The app that it belongs to; `nil` for all apps.
  package var app: App? {
    switch self {
    case .person: nil
    case .app(let app), .part(_, let app): app
    case .proposal: .lockItIn
    }
  }

  /// `person`, `app`, `project`, `group` or `proposal`.
  package var name: String {
    switch self {
    case .person: "person"
    case .app: "app"
    case .part(_, let app): app.profile.groups?.name ?? ""
    case .proposal: "proposal"
    }
  }

  /// `notification_mutes.target`.
  var target: String {
    switch self {
    case .person: ""
    case .app(let app): app.rawValue
    case .part(let id, _), .proposal(let id): id.lowercased
    }
  }
}

/// People's mutes that end by themselves, in PostgreSQL; a trigger asks about what waits again when one changes.
package struct MuteStore: Sendable {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// The zone in which a person's mute ends: theirs for the app, else for another app, else UTC.
  /// - Parameter app: the app of what is muted; `nil` for all apps.
  package func zone(of person: Person, for app: App?) async throws -> TimeZoneRules {
    var zones = Zones()
    return zones.rules(of: try await connection.query(.timeZones(of: person, first: app)).first?["timezone"])
  }

  /// A person's mutes that last, as an answer.
  package func mutes(of person: Person, at now: Date) async throws -> RawJSON {
    try RawJSON(mutes: await connection.query(.mutes(of: person, at: now)))
  }

  /// Mutes something until an instant, or no longer; returns the person's mutes, or `nil` if it does not concern them.
  package func mute(
    _ scope: MuteScope, until end: Date?, by person: Person, at now: Date, dryRun: Bool = false
  ) async throws -> RawJSON? {
    // Who has left a group may still end its mute.
    if end != nil, try await !concerns(person, scope, at: now) { return nil }
    return try await connection.change(by: person, dryRun: dryRun) { transaction in
      let change = end.map { SQL.mute(scope, until: $0, by: person, at: now) } ?? .unmute(scope, by: person)
      let answers = try await transaction.pipeline([
        .forgetMutes(of: person, at: now), change, .mutes(of: person, at: now),
      ])
      return try RawJSON(mutes: answers[2])
    }
  }

  private func concerns(_ person: Person, _ scope: MuteScope, at now: Date) async throws -> Bool {
    let preferences = PreferenceStore(connection)
    switch scope {
    case .person, .app: return true
    case .part(let id, .feedbackKit): return try await preferences.preferences(of: person, project: id, at: now) != nil
    case .part(let id, _): return try await preferences.preferences(of: person, group: id, at: now) != nil
    case .proposal(let id):
      return try await !connection.query("SELECT WHERE \(.concerns(proposal: id, person))").isEmpty
    }
  }
}

extension RawJSON {
  fileprivate init(mutes rows: Rows) throws {
    let mutes = try rows.map { row in
      let (scope, target): (String, String) = (try row.decode("scope"), try row.decode("target"))
      let app = App.allCases.first { scope == "app" ? $0.rawValue == target : $0.profile.groups?.name == scope }
      return RawJSON(object: [
        ("scope", RawJSON(scope)),
        ("app", RawJSON(scope == "proposal" ? App.lockItIn.rawValue : app?.rawValue)),
        ("id", RawJSON(["person", "app"].contains(scope) ? nil : target)),
        ("until", RawJSON(RFC3339.seconds(try row.decode("muted_until")))),
      ])
    }
    self.init(object: [("mutes", RawJSON(array: mutes))])
  }
}

extension SQL {
  /// Mutes something until an instant, whenever its earlier mute would have ended.
  static func mute(_ scope: MuteScope, until end: Date, by person: Person, at now: Date) -> SQL {
    """
    INSERT INTO notification_mutes (user_id, scope, target, muted_until, created_at)
    SELECT u.id, \(scope.name), \(scope.target), \(end), \(now) FROM users u WHERE u.id = \(person.id) FOR KEY SHARE
    ON CONFLICT (user_id, scope, target) DO UPDATE SET muted_until = excluded.muted_until
    """
  }

  static func unmute(_ scope: MuteScope, by person: Person) -> SQL {
    "DELETE FROM notification_mutes WHERE \(theirs(scope, person))"
  }

  /// `muted_until`, if the mute lasts.
  static func mute(_ scope: MuteScope, by person: Person, at now: Date) -> SQL {
    "SELECT muted_until FROM notification_mutes WHERE \(theirs(scope, person)) AND muted_until > \(now)"
  }

  /// `place, muted_until`: which of these scopes a person can mute, with the end of its last mute, NULL if none was set.
  static func mutes(_ scopes: [MuteScope], by person: Person) -> SQL {
    let proposals = scopes.compactMap { if case .proposal(let id) = $0 { id } else { nil } }
    let concerning = proposals.reduce("v.scope <> 'proposal'" as SQL) { condition, id in
      "\(condition) OR v.target = \(id.lowercased) AND \(concerns(proposal: id, person))"
    }
    return """
      SELECT v.place::int - 1 AS place, m.muted_until
      FROM unnest(\(scopes.map(\.name)), \(scopes.map(\.target))) WITH ORDINALITY AS v (scope, target, place)
      LEFT JOIN notification_mutes m ON m.user_id = \(person.id) AND m.scope = v.scope AND m.target = v.target
      WHERE \(concerning) ORDER BY v.place
      """
  }

  /// Whether a proposal is of a group of a person's.
  fileprivate static func concerns(proposal id: UUID, _ person: Person) -> SQL {
    """
    EXISTS (
      SELECT FROM event_proposals p JOIN group_members m ON m.group_id = p.group_id
      WHERE p.id = \(id) AND m.user_id = \(person.id))
    """
  }

  private static func theirs(_ scope: MuteScope, _ person: Person) -> SQL {
    "user_id = \(person.id) AND scope = \(scope.name) AND target = \(scope.target)"
  }

  /// Deletes a person's mutes that are over.
  fileprivate static func forgetMutes(of person: Person, at now: Date) -> SQL {
    "DELETE FROM notification_mutes WHERE user_id = \(person.id) AND muted_until <= \(now)"
  }

  fileprivate static func mutes(of person: Person, at now: Date) -> SQL {
    """
    SELECT scope, target, muted_until FROM notification_mutes
    WHERE user_id = \(person.id) AND muted_until > \(now) ORDER BY scope, target
    """
  }

  /// The zones that a person has set, the best first: `timezone`.
  fileprivate static func timeZones(of person: Person, first app: App?) -> SQL {
    """
    SELECT timezone FROM (
      SELECT s.app, s.timezone, s.updated_at FROM notification_settings s WHERE s.user_id = \(person.id)
      UNION ALL
      SELECT \(App.lockItIn.rawValue), p.timezone, p.updated_at FROM user_notification_preferences p
      WHERE p.user_id = \(person.id)
    ) z
    WHERE timezone IS NOT NULL ORDER BY app IS NOT DISTINCT FROM \(app?.rawValue as String?) DESC, updated_at DESC NULLS LAST LIMIT 1
    """
  }
}
