import FoundationEssentials
package import Notifications
package import Postgres
import Synchronization

/// The parts of a statement that read an app's preferences.
///
/// They are the switches in the order in which they count, the quiet hours and the limits.
package struct Settings {
  /// Joins for rows with a `user_id`.
  package let tables: SQL
  /// The switch of the project or group; NULL if the personal one decides.
  package let override: SQL
  /// The person's own switch; NULL if they never set it.
  package let personal: SQL
  /// `is_enabled, level, override, is_of_proposal, personal, sound, allows_critical, timezone, language,
  /// hourly_limit, wants_summary`, and those of the quiet hours.
  ///
  /// `is_of_proposal` says whether the override is a proposal's own, and the group's switch does not say the same.
  package let columns: SQL
  /// `muted_until`: the end of the last mute that holds a row; NULL if none does.
  ///
  /// The rows have a `subject_id`.
  package let mute: SQL

  /// People's preferences for one kind.
  /// - Parameters:
  ///   - row: the alias of the rows. For the votes on proposals they have a `proposal_id`.
  ///   - scope: the id of a row's project or group; `nil` means the row's column `scope_id`.
  package init(of kind: Kind, for row: String, in scope: SQL? = nil) {
    if scope == nil, let known = Self.known.withLock({ $0[[kind.app.rawValue, kind.name, row]] }) {
      self = known
      return
    }
    self.init(of: kind.app, for: row, in: scope) { switchOf in switchOf(kind) }
    if scope == nil { Self.known.withLock { [self] in $0[[kind.app.rawValue, kind.name, row]] = self } }
  }

  /// The parts by app, kind and alias: each event needs the same long texts.
  private static let known = Mutex<[[String]: Settings]>([:])

  /// People's preferences for rows of any kind of an app; the rows have a `type`.
  package init(ofKindsOf app: App, for row: String, in scope: SQL) {
    self.init(of: app, for: row, in: scope) { switchOf in
      let cases = app.profile.kinds.reduce("") { cases, kind in
        "\(cases) WHEN \(kind.name) THEN \(switchOf(kind))" as SQL
      }
      return "CASE lower(\(identifier: row).type)\(cases) END"
    }
  }

  private init(of app: App, for row: String, in scope: SQL?, _ choose: ((Kind) -> SQL) -> SQL) {
    let (preferences, groups) = (app.profile.preferences, app.profile.groups)
    let group = scope ?? "\(identifier: row).scope_id"
    let (person, proposal): (SQL, SQL) = ("\(identifier: row).user_id", "\(identifier: row).proposal_id")
    override =
      groups.map { groups in choose { groups.value(of: $0.preference, proposal: proposal) } } ?? "NULL::boolean"
    let isOfProposal: SQL =
      groups.map { groups in choose { groups.isOfProposal($0.preference, proposal: proposal) } } ?? "NULL::boolean"
    personal = choose { preferences.value(of: $0) }
    columns = """
      \(preferences.isEnabled) AS is_enabled, \(groups?.levelWord ?? "'all'") AS level, \(override) AS override,
      \(isOfProposal) AS is_of_proposal, \(personal) AS personal, left(s.\(identifier: preferences.sound), 50) AS sound,
      s.critical_alerts AS allows_critical, s.timezone, \(preferences.language(of: app, user: person)) AS language, s.hourly_limit,
      s.quiet_hours_summary AS wants_summary,
      \(QuietHours.columns)
      """
    mute = """
      (
        SELECT max(q.muted_until) FROM notification_mutes q
        WHERE q.user_id = \(person) AND (q.scope = 'person' OR (q.scope, q.target) IN (
          ('app', \(app.rawValue)), (\(groups?.name ?? "project"), (\(group))::text),
          ('proposal', \(identifier: row).subject_id)))) AS muted_until
      """
    let users: SQL = preferences.hasSwitchesInUsers ? "JOIN users u ON u.id = \(person)" : ""
    tables = """
      \(users)
      \(groups?.join(user: person, group: group) ?? "")
      \(preferences.join(of: app, user: person))
      """
  }
}
