public import FoundationEssentials
public import FunctionKit
public import Notifications
import Postgres

extension PreferenceStore {
  /// A person's preferences of an app, after they were changed; `nil` where the person is gone.
  public func personal(
    of person: Person, app: App, changing changes: PersonalChanges = PersonalChanges(), at now: Date,
    dryRun: Bool = false
  ) async throws -> RawJSON? {
    try await document(
      of: person, after: changes.statements(for: person, app: app, at: now), .personal(of: person, app: app),
      dryRun: dryRun
    ) { row in try RawJSON(object: row.preferences(of: app)) }
  }
}

extension PersonalChanges {
  fileprivate func statements(for person: Person, app: App, at now: Date) -> [SQL] {
    var own = calm
    switch app {
    case .feedbackKit:
      own += settings
      var user: [Assignment] = []
      user.set("push_notifications_enabled", isEnabled)
      user.set("notify_new_feedback", emails.newFeedback)
      user.set("notify_new_comments", emails.newComments)
      user.set(switches)
      return [update(user, of: person, at: now), upsert("notification_settings", own, of: person, app: app, at: now)]
        .compactMap { $0 }
    case .lockItIn:
      own.set("notifications_enabled", isEnabled)
      own.set("notification_sound", sound)
      own.set("summary_notifications_enabled", summaryNotifications)
      own.set(switches)
      return [upsert("user_notification_preferences", own, of: person, at: now)].compactMap { $0 }
    case .repairMinder, .mugshot, .messageAI:
      own += settings
      own.set("is_enabled", isEnabled)
      own.set("max_analyses_per_hour", maxAnalysesPerHour)
      own.set("fallback_strategy", fallbackStrategy.map { $0?.rawValue })
      if !switches.isEmpty { own.append(.switches(switches)) }
      return [upsert("notification_settings", own, of: person, app: app, at: now)].compactMap { $0 }
    }
  }

  private var settings: [Assignment] {
    var columns: [Assignment] = []
    columns.set("sound", sound)
    columns.set("summary_notifications", summaryNotifications)
    return columns
  }

  private func update(_ columns: [Assignment], of person: Person, at now: Date) -> SQL? {
    guard !columns.isEmpty else { return nil }
    let values = columns.map { column -> SQL in "\(identifier: column.column) = \(column.value)" }
    return "UPDATE users SET \(.list(values)), updated_at = \(now) WHERE id = \(person.id)"
  }

  private func upsert(
    _ table: String, _ columns: [Assignment], of person: Person, app: App? = nil, at now: Date
  ) -> SQL? {
    guard !columns.isEmpty else { return nil }
    var keys = [Assignment(column: "user_id", value: "u.id")]
    keys.set("app", app?.rawValue)
    return .upsert(
      table, keys, columns + [.time(now)], "FROM users u WHERE u.id = \(person.id) FOR KEY SHARE")
  }
}

extension SQL {
  /// Everything that one answer says.
  fileprivate static func personal(of person: Person, app: App) -> SQL {
    let keys = PersonalSwitch.all(of: app).map(\.key)
    let (source, isEnabled, switches): (SQL, SQL, SQL) =
      switch app {
      case .feedbackKit: (.settings(of: app), "u.push_notifications_enabled", .switches(keys, of: "u"))
      case .lockItIn:
        (
          """
          SELECT p.*, p.notification_sound AS sound, p.summary_notifications_enabled AS summary_notifications,
            NULL::integer AS max_analyses_per_hour, NULL AS fallback_strategy
          FROM user_notification_preferences p
          """, "s.notifications_enabled", .switches(keys, of: "s")
        )
      case .repairMinder, .mugshot, .messageAI: (.settings(of: app), "s.is_enabled", "s.switches::text")
      }
    return """
      SELECT u.id, u.email, u.name, u.is_admin, u.notify_new_feedback, u.notify_new_comments,
        coalesce(\(isEnabled), true) AS is_enabled, \(switches) AS switches,
        coalesce(s.quiet_hours_enabled, false) AS is_quiet,
        to_char(date '2000-01-01' + coalesce(s.quiet_hours_start, '22:00'), 'HH24:MI') AS quiet_start,
        to_char(date '2000-01-01' + coalesce(s.quiet_hours_end, '08:00'), 'HH24:MI') AS quiet_end, s.timezone, s.hourly_limit,
        coalesce(s.sound, 'default') AS sound, coalesce(s.haptic_feedback, true) AS haptic_feedback,
        coalesce(s.critical_alerts, false) AS critical_alerts,
        coalesce(s.quiet_hours_summary, \(app.summarizesQuietHours)) AS quiet_hours_summary,
        coalesce(s.summary_notifications, true) AS summary_notifications, s.max_analyses_per_hour, s.fallback_strategy,
        (SELECT min(h.held_until) FROM held_notifications h WHERE h.user_id = u.id AND h.app = \(app.rawValue))
          AS next_held
      FROM users u
      LEFT JOIN (\(source)) s ON s.user_id = u.id
      WHERE u.id = \(person.id)
      """
  }

  private static func settings(of app: App) -> SQL {
    "SELECT * FROM notification_settings WHERE app = \(app.rawValue)"
  }
}
