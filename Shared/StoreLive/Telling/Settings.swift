import FoundationEssentials
package import Notifications
package import Postgres

/// Where an app keeps how people want to be told, as parts of a statement.
///
/// These are the switches in the order in which they count, and the settings by which people want to be left alone.
package struct Settings {
  /// Joined to rows with a `user_id`.
  package let tables: SQL
  /// The switch of the project or group; NULL where the personal one decides.
  package let override: SQL
  /// The person's own switch; NULL where they never touched it.
  package let personal: SQL
  private let isEnabled: SQL
  private let level: SQL
  private let sound: SQL

  /// What people want of one kind.
  /// - Parameters:
  ///   - row: the alias of the rows. For the votes on proposals they have a `proposal_id`.
  ///   - scope: the id of the project or group that a row concerns; `row`'s column `scope_id` where it is `nil`.
  package init(of kind: Kind, for row: String, in scope: SQL? = nil) {
    self.init(of: kind.app, for: row, in: scope) { switchOf in switchOf(kind) }
  }

  /// What people want of rows of any of an app's kinds, which have a `type`.
  package init(ofKindsOf app: App, for row: String, in scope: SQL) {
    self.init(of: app, for: row, in: scope) { switchOf in
      let cases = Kind.catalogue.filter { $0.app == app }.reduce("") { cases, kind in
        "\(cases) WHEN \(kind.name) THEN \(switchOf(kind))" as SQL
      }
      return "CASE lower(\(identifier: row).type)\(cases) END"
    }
  }

  private init(of app: App, for row: String, in scope: SQL?, _ choose: ((Kind) -> SQL) -> SQL) {
    let person: SQL = "\(identifier: row).user_id"
    let scope = scope ?? "\(identifier: row).scope_id"
    let settings: SQL = "LEFT JOIN notification_settings s ON s.user_id = \(person) AND s.app = \(app.rawValue)"
    switch app {
    case .feedbackKit:
      isEnabled = "u.push_notifications_enabled"
      level = "CASE WHEN m.push_muted THEN 'muted' ELSE 'all' END"
      override = choose { "m.\($0.preference.column)" }
      personal = choose { "u.\($0.preference.column)" }
      sound = "left(s.sound, 50)"
      tables = """
        JOIN users u ON u.id = \(person)
        LEFT JOIN project_member_preferences m ON m.user_id = \(person) AND m.project_id = \(scope)
        \(settings)
        """
    case .lockItIn:
      isEnabled = "coalesce(s.notifications_enabled, true)"
      level = "coalesce(m.notification_level, 'all')"
      override = choose { $0.preference.ofGroup(proposal: "\(identifier: row).proposal_id") }
      personal = choose { kind in
        kind.preference.shared.map { "coalesce(s.\(kind.preference.column), s.\($0.column))" }
          ?? "s.\(kind.preference.column)"
      }
      sound = "s.notification_sound"
      tables = """
        LEFT JOIN user_notification_preferences s ON s.user_id = \(person)
        LEFT JOIN group_notification_preferences m ON m.user_id = \(person) AND m.group_id = \(scope)
        """
    case .repairMinder, .mugshot, .messageAI:
      isEnabled = "coalesce(s.is_enabled, true)"
      level = "'all'"
      override = "NULL::boolean"
      // Any other value that somebody may have written there is no switch.
      personal = choose { kind in
        """
        CASE s.\(kind.preference.column) -> \(kind.name)
          WHEN 'true'::jsonb THEN true WHEN 'false'::jsonb THEN false END
        """
      }
      sound = "left(s.sound, 50)"
      tables = settings
    }
  }

  /// `is_enabled, level, override, personal, sound, allows_critical, timezone, hourly_limit, wants_summary,
  /// is_quiet, quiet_start, quiet_end`.
  ///
  /// The edges of the quiet hours are minutes of the local day; `24:00` is midnight.
  package var columns: SQL {
    """
    \(isEnabled) AS is_enabled, \(level) AS level, \(override) AS override, \(personal) AS personal,
    \(sound) AS sound, s.critical_alerts AS allows_critical, s.timezone, s.hourly_limit,
    s.quiet_hours_summary AS wants_summary, s.quiet_hours_enabled AS is_quiet,
    extract(epoch FROM s.quiet_hours_start)::integer / 60 % 1440 AS quiet_start,
    extract(epoch FROM s.quiet_hours_end)::integer / 60 % 1440 AS quiet_end
    """
  }

  /// The project or group that a notification concerns.
  /// - Parameter row: the alias of the notification.
  package static func scope(of app: App, for row: String) -> SQL {
    switch app {
    case .feedbackKit: "\(identifier: row).project_id"
    case .lockItIn:
      """
      coalesce(
        (SELECT p.group_id FROM event_proposals p WHERE p.id = \(identifier: row).proposal_id),
        (SELECT e.group_id FROM events e WHERE e.id = \(identifier: row).event_id),
        CASE lower(\(identifier: row).type)
          WHEN \(GroupInvite.kind.name) THEN push_uuid(\(identifier: row).subject_id) END)
      """
    case .repairMinder, .mugshot, .messageAI: "NULL::uuid"
    }
  }
}

extension Kind.PreferenceSwitch {
  fileprivate var column: SQL { "\(identifier: rawValue)" }

  /// The group's switch `m`, where it has one; for votes on proposals the proposal's own comes first, by its id.
  fileprivate func ofGroup(proposal: SQL) -> SQL {
    switch self {
    case .proposals, .voteUpdates, .confirmations, .eventReminders, .dayBeforeReminders: "m.\(column)"
    case .votingDeadline: "coalesce(m.\(column), m.\(Self.proposals.column))"
    case .proposalVotes:
      "coalesce((SELECT v.notify_vote_cast FROM event_proposals v WHERE v.id = \(proposal)), m.\(column))"
    case .friendRequests, .groupUpdates, .conflictAlerts, .memoryPrompts, .newFeedback, .newComments, .votes,
      .statusChanges, .own:
      "NULL::boolean"
    }
  }
}
