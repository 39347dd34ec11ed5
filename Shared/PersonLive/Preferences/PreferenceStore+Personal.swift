package import FoundationEssentials
package import FunctionKit
package import Notifications
import Postgres
import StoreLive

extension PreferenceStore {
  /// A person's preferences for an app after the change; `nil` if the person is gone.
  package func personal(
    of person: Person, app: App, changing changes: PersonalChanges = PersonalChanges(), at now: Date,
    dryRun: Bool = false
  ) async throws -> RawJSON? {
    try await connection.explaining("users", Self.columnsOfUsers) {
      try await document(
        of: person, after: changes.statements(for: person, app: app, at: now), .personal(of: person, app: app),
        dryRun: dryRun
      ) { row in try RawJSON(object: row.preferences(of: app)) }
    }
  }

  /// What FeedbackKit's own server keeps of a person; `"mayLack"` of `functions.json` says what their lack costs.
  private static let columnsOfUsers = ["is_admin", "notify_new_feedback", "notify_new_comments", "updated_at"]
}

extension PersonalChanges {
  /// The statements that write the columns of `users` and a row of the app's own or the shared table.
  func statements(for person: Person, app: App, at now: Date) -> [SQL] {
    let preferences = app.profile.preferences
    var own = deliveryPolicy
    own.set(preferences.sound, sound)
    own.set(preferences.systemSummaries, summaryNotifications)
    own.set("max_analyses_per_hour", maxAnalysesPerHour)
    own.set("fallback_strategy", fallbackStrategy.map { $0?.rawValue })
    var main: [Assignment] = []
    main.set(preferences.masterSwitch, isEnabled)
    main.set("notify_new_feedback", emails.newFeedback)
    main.set("notify_new_comments", emails.newComments)
    let columns = Set(app.profile.kinds.compactMap(\.preference.column))
    main.set(switches.filter { columns.contains($0.key) })
    let members = switches.filter { !columns.contains($0.key) }
    if !members.isEmpty { main.append(.switches(members)) }
    return [
      preferences.hasSwitchesInUsers ? update(main, of: person, at: now) : nil,
      upsert(preferences.hasSwitchesInUsers ? own : own + main, of: person, in: app, at: now),
    ].compactMap(\.self)
  }

  private func update(_ columns: [Assignment], of person: Person, at now: Date) -> SQL? {
    guard !columns.isEmpty else { return nil }
    let values = columns.map { column -> SQL in "\(identifier: column.column) = \(column.value)" }
    return "UPDATE users SET \(.list(values)), updated_at = \(now) WHERE id = \(person.id)"
  }

  private func upsert(_ columns: [Assignment], of person: Person, in app: App, at now: Date) -> SQL? {
    guard !columns.isEmpty else { return nil }
    let preferences = app.profile.preferences
    var keys = [Assignment(column: "user_id", value: "u.id")]
    if preferences.isShared { keys.set("app", app.rawValue as String?) }
    return .upsert(
      preferences.table, keys, columns + [.time(now)], "FROM users u WHERE u.id = \(person.id) FOR KEY SHARE")
  }
}

extension SQL {
  /// All values of one answer; those that FeedbackKit's own server keeps, for it alone.
  fileprivate static func personal(of person: Person, app: App) -> SQL {
    let preferences = app.profile.preferences
    let analyses: SQL =
      preferences.limitsAnalyses
      ? "s.max_analyses_per_hour, s.fallback_strategy"
      : "NULL::integer AS max_analyses_per_hour, NULL AS fallback_strategy"
    let user: SQL =
      preferences.hasSwitchesInUsers
      ? """
      u.email, u.name, coalesce(u.is_admin, false) AS is_admin, push_is_verified(to_jsonb(u)) AS is_email_verified,
        (to_jsonb(u) ->> 'created_at')::timestamptz AS created_at,
        coalesce(u.notify_new_feedback, true) AS notify_new_feedback,
        coalesce(u.notify_new_comments, true) AS notify_new_comments,
      """ : ""
    return """
      SELECT u.id, \(user)
        \(preferences.isEnabled) AS is_enabled, \(.switches(of: app)) AS switches,
        coalesce(s.quiet_hours_enabled, false) AS is_quiet,
        to_char(date '2000-01-01' + coalesce(s.quiet_hours_start, '22:00'), 'HH24:MI') AS quiet_start,
        to_char(date '2000-01-01' + coalesce(s.quiet_hours_end, '08:00'), 'HH24:MI') AS quiet_end, s.timezone, s.hourly_limit,
        coalesce(s.\(identifier: preferences.sound), 'default') AS sound,
        coalesce(s.haptic_feedback, true) AS haptic_feedback, coalesce(s.critical_alerts, false) AS critical_alerts,
        coalesce(s.quiet_hours_summary, \(app.profile.summarizesQuietHours)) AS quiet_hours_summary,
        coalesce(s.\(identifier: preferences.systemSummaries), true) AS summary_notifications, \(analyses),
        (SELECT min(h.held_until) FROM held_notifications h WHERE h.user_id = u.id AND h.app = \(app.rawValue))
          AS next_held
      FROM users u
      \(preferences.join(of: app, user: "u.id"))
      WHERE u.id = \(person.id)
      """
  }
}
