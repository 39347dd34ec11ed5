package import Notifications
package import Postgres

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
