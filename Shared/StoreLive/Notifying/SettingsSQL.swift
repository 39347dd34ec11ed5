import FoundationEssentials
import FunctionKit
package import Notifications
package import Postgres
import Synchronization

/// The parts of a statement that read an app's preferences.
///
/// They are the switches in the order in which they count, the quiet hours and the limits.
package struct SettingsSQL {
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
  private static let known = Mutex<[[String]: SettingsSQL]>([:])

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

extension PreferenceTable {
  /// The alias of the table with the switches: `u` for `users`, `s` for the preference table.
  package var holder: SQL { hasSwitchesInUsers ? "u" : "s" }

  /// Joins a person's row of an app as `s`.
  package func join(of app: App, user: SQL) -> SQL {
    "LEFT JOIN \(identifier: table) s ON s.user_id = \(user)" + (isShared ? " AND s.app = \(app.rawValue)" : "")
  }

  /// The tag of what the person reads: their choice, else what the device says that they registered last; uses the alias
  /// `s`.
  package func language(of app: App, user: SQL) -> SQL {
    """
    coalesce(nullif(s.language::text, ''), (
      SELECT d.locale::text FROM device_tokens d
      WHERE d.user_id = \(user) AND d.app = \(app.rawValue) AND d.is_active IS NOT FALSE AND d.locale::text <> ''
      ORDER BY d.registered_at DESC, d.id LIMIT 1))
    """
  }

  /// Whether the person's master switch is on; uses the aliases `u` and `s`.
  package var isEnabled: SQL { "coalesce(\(holder).\(identifier: masterSwitch), true)" }

  /// The person's own switch for a kind; NULL if they never set it.
  package func value(of kind: Kind) -> SQL {
    guard let column = kind.preference.column else {
      // Any other stored value is no switch.
      return """
        CASE s.switches -> \(kind.name) WHEN 'true'::jsonb THEN true WHEN 'false'::jsonb THEN false END
        """
    }
    return .firstOf([column, kind.preference.shared].compactMap(\.self).map { "\(holder).\(identifier: $0)" })
  }

  /// A row if the person of a row `t` has switched off all pushes of its app.
  package func isSwitchedOff(_ t: SQL) -> SQL {
    let row: SQL =
      hasSwitchesInUsers
      ? "users p WHERE p.id = \(t).user_id"
      : "\(identifier: table) p WHERE p.user_id = \(t).user_id" + (isShared ? " AND p.app = \(t).app" : "")
    return "SELECT FROM \(row) AND NOT p.\(identifier: masterSwitch)"
  }
}

extension GroupPreferences {
  /// Joins a person's preferences for a project or group as `m`.
  package func join(user: SQL, group: SQL) -> SQL {
    "LEFT JOIN \(identifier: table) m ON m.user_id = \(user) AND m.\(identifier: column) = \(group)"
  }

  /// The level that the person lets through; uses the alias `m`.
  package var levelWord: SQL {
    switch level {
    case .muted(let column): "CASE WHEN m.\(identifier: column) THEN 'muted' ELSE 'all' END"
    case .word(let column): "coalesce(m.\(identifier: column), 'all')"
    }
  }

  /// The switch for a kind; uses the alias `m`.
  ///
  /// For votes on a proposal, the proposal's own switch comes first, by its id.
  func value(of preference: Kind.PreferenceSwitch, proposal: SQL) -> SQL {
    let values = [own(preference, proposal), ofGroup(preference)].compactMap(\.self)
    return values.isEmpty ? "NULL::boolean" : .firstOf(values)
  }

  /// Whether ``value(of:proposal:)`` is the proposal's own switch, and the group's does not switch the kind off too.
  func isOfProposal(_ preference: Kind.PreferenceSwitch, proposal: SQL) -> SQL {
    guard let own = own(preference, proposal), let ofGroup = ofGroup(preference) else { return "NULL::boolean" }
    return "(\(own) IS NOT NULL AND (\(ofGroup)) IS NOT FALSE)"
  }

  /// The proposal's own switch; `nil` for kinds without one.
  private func own(_ preference: Kind.PreferenceSwitch, _ proposal: SQL) -> SQL? {
    guard preference.isInGroups else { return nil }
    return preference.ofProposal.map { switchOf in
      "(SELECT v.\(identifier: switchOf) FROM event_proposals v WHERE v.id = \(proposal))"
    }
  }

  /// The group's switch; `nil` for kinds without one.
  private func ofGroup(_ preference: Kind.PreferenceSwitch) -> SQL? {
    guard preference.isInGroups, let column = preference.column else { return nil }
    return .firstOf([column, preference.sharedInGroups].compactMap(\.self).map { "m.\(identifier: $0)" })
  }

  /// The project or group that a notification concerns.
  /// - Parameter row: the alias of the notification.
  package func ofNotification(_ row: String) -> SQL {
    let row: SQL = "\(identifier: row)"
    return .firstOf(
      places.map { place in
        switch place {
        case .column(let name): "\(row).\(identifier: name)"
        case .row(let table, let id):
          "(SELECT r.\(identifier: column) FROM \(identifier: table) r WHERE r.id = \(row).\(identifier: id))"
        case .subject(let kind): "CASE lower(\(row).type) WHEN \(kind.name) THEN push_uuid(\(row).subject_id) END"
        }
      })
  }
}

extension SQL {
  /// Fragments with commas between them.
  package static func list(_ parts: [SQL]) -> SQL {
    parts.dropFirst().reduce(parts.first ?? "") { "\($0), \($1)" }
  }

  /// The first value that is not NULL.
  fileprivate static func firstOf(_ values: [SQL]) -> SQL {
    values.count == 1 ? values[0] : "coalesce(\(list(values)))"
  }
}

extension QuietHours {
  /// The columns from which ``init(_:in:)`` reads, of a person's preferences `s`.
  ///
  /// They are `is_quiet, quiet_start, quiet_end, quiet_days`. The hours are in minutes of the local day; `24:00` is
  /// midnight.
  package static let columns: SQL = """
    s.quiet_hours_enabled AS is_quiet, extract(epoch FROM s.quiet_hours_start)::integer / 60 % 1440 AS quiet_start,
    extract(epoch FROM s.quiet_hours_end)::integer / 60 % 1440 AS quiet_end, s.quiet_hours_days::text AS quiet_days
    """

  /// A person's quiet hours; `nil` if they are off.
  /// - Parameter timeZone: the person's zone.
  package init?(_ row: Row, in timeZone: String?) throws(PostgresError) {
    guard try row.optional("is_quiet") == true else { return nil }
    self.init(
      startMinute: try row.optional("quiet_start"), endMinute: try row.optional("quiet_end"),
      days: Self.days(row["quiet_days"]), timeZone: timeZone)
  }

  /// The weekdays with hours of their own, from the JSON of `quiet_hours_days`; what is not as it must be is left out.
  package static func days(_ json: String?) -> [Weekday: Span] {
    guard let json else { return [:] }
    let days = RawJSON(trusting: Array(json.utf8)).members.compactMap { member -> (Weekday, Span)? in
      guard let weekday = Weekday(rawValue: member.name), member.value.kind == .object,
        let start = minute(member.value["start"]), let end = minute(member.value["end"])
      else { return nil }
      return (weekday, Span(startMinute: start, endMinute: end))
    }
    return Dictionary(days) { $1 }
  }

  /// The minutes after midnight of `HH:MM`.
  private static func minute(_ time: RawJSON?) -> Int? {
    guard let parts = time?.stringValue?.split(separator: ":"), parts.count == 2, let hour = Int(parts[0]),
      let minute = Int(parts[1])
    else { return nil }
    return hour * 60 + minute
  }
}
