import Formats
import FoundationEssentials
import FunctionKit
package import Notifications
package import Postgres
import StoreLive

extension Row {
  /// A person's preferences for an app, as members of an answer.
  func preferences(of app: App) throws -> [(String, RawJSON)] {
    let isEnabled: Bool = try decode("is_enabled")
    let stored = switches("switches")
    let all = PersonalSwitch.all(of: app)
    let switches = all.map { ($0.name, RawJSON($0.shown(stored))) }
    let effective = all.map { ($0.name, RawJSON($0.isOn(isEnabled: isEnabled, personal: stored))) }
    let common = try [("pushNotificationsEnabled", RawJSON(isEnabled))] + deliveryPolicy()
    if app.profile.preferences.hasSwitchesInUsers { return try user() + switches + common }
    return [
      ("app", RawJSON(app.rawValue)), ("userId", try id("id")), ("switches", RawJSON(object: switches)),
      ("effectivePreferences", RawJSON(object: [("push", RawJSON(object: effective))])),
    ] + common + (app.profile.preferences.limitsAnalyses ? try analyses() : [])
  }

  /// The switches of kinds that are off, by their names in the API.
  ///
  /// - Parameter column: one of ``SQL/switches(of:)``.
  package func switchedOff(_ column: String, in app: App) -> [String] {
    let stored = switches(column)
    return PersonalSwitch.all(of: app).filter { !$0.isOn(isEnabled: true, personal: stored) }.map(\.name)
  }

  /// An id in lower case.
  func id(_ column: String) throws(PostgresError) -> RawJSON {
    RawJSON(try decode(column, as: UUID.self).lowercased)
  }

  private func user() throws(PostgresError) -> [(String, RawJSON)] {
    [
      ("id", try id("id")), ("email", RawJSON(self["email"])), ("name", RawJSON(self["name"])),
      ("isAdmin", RawJSON(try decode("is_admin", as: Bool.self))),
      ("isEmailVerified", RawJSON(try decode("is_email_verified", as: Bool.self))),
      ("createdAt", RawJSON(try optional("created_at", as: Date.self).map(RFC3339.seconds))),
      ("notifyNewFeedback", RawJSON(try decode("notify_new_feedback", as: Bool.self))),
      ("notifyNewComments", RawJSON(try decode("notify_new_comments", as: Bool.self))),
    ]
  }

  private func deliveryPolicy() throws(PostgresError) -> [(String, RawJSON)] {
    let quietHours = RawJSON(object: [
      ("enabled", RawJSON(try decode("is_quiet", as: Bool.self))), ("start", RawJSON(self["quiet_start"])),
      ("end", RawJSON(self["quiet_end"])), ("days", quietDays), ("timezone", RawJSON(self["timezone"])),
    ])
    return [
      ("quietHours", quietHours), ("language", RawJSON(self["language"])),
      ("hourlyLimit", RawJSON(try optional("hourly_limit", as: Int.self))),
      ("sound", RawJSON(self["sound"])), ("hapticFeedback", RawJSON(try decode("haptic_feedback", as: Bool.self))),
      ("criticalAlerts", RawJSON(try decode("critical_alerts", as: Bool.self))),
      ("quietHoursSummary", RawJSON(try decode("quiet_hours_summary", as: Bool.self))),
      ("summaryNotifications", RawJSON(try decode("summary_notifications", as: Bool.self))),
      ("unreadReminders", RawJSON(try decode("unread_reminders", as: Bool.self))),
      ("liveActivities", RawJSON(try decode("live_activities", as: Bool.self))),
      ("nextHeldDelivery", RawJSON(try optional("next_held", as: Date.self).map(RFC3339.seconds))),
    ]
  }

  private var quietDays: RawJSON {
    let days = QuietHours.days(self["quiet_days"])
    let members = Weekday.allCases.compactMap { day in
      days[day].map { (day.rawValue, RawJSON(object: [("start", RawJSON($0.start)), ("end", RawJSON($0.end))])) }
    }
    return RawJSON(object: members)
  }

  private func analyses() throws(PostgresError) -> [(String, RawJSON)] {
    [
      ("maxAnalysesPerHour", RawJSON(try optional("max_analyses_per_hour", as: Int.self))),
      ("fallbackStrategy", RawJSON(self["fallback_strategy"])),
    ]
  }
}

extension PersonalSwitch {
  /// The value that a person sees: `nil` if it follows another switch.
  fileprivate func shown(_ stored: [String: Bool]) -> Bool? {
    canBeSilenced ? stored[key] ?? standard : true
  }
}

extension QuietHours.Span {
  /// `22:00`.
  fileprivate var start: String { Self.clock(startMinute) }
  fileprivate var end: String { Self.clock(endMinute) }

  private static func clock(_ minute: Int) -> String {
    [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
