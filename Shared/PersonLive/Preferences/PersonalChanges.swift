package import Notifications

/// New values for a person's preferences of one app.
///
/// `nil` keeps a value. For a value that is itself optional, `.some(nil)` clears it, so that the default applies.
package struct PersonalChanges: Sendable {
  /// The master switch.
  package var isEnabled: Bool?
  /// The switches that change, by their keys.
  package var switches: [String: Bool?] = [:]
  /// Whether FeedbackKit's server sends e-mail about new feedback, and about comments.
  package var emails: (newFeedback: Bool?, newComments: Bool?)
  /// Whether there are quiet hours.
  package var isQuiet: Bool?
  /// When they begin, `HH:MM`.
  package var quietStart: String??
  /// When they end, `HH:MM`.
  package var quietEnd: String??
  /// The hours of weekdays that change, each as `HH:MM`; `nil` for the usual ones.
  package var quietDays: [Weekday: (start: String, end: String)?] = [:]
  /// The person's zone, an IANA name.
  package var timeZone: String??
  /// The tag of what the person reads.
  package var language: String??
  /// The most pushes in an hour.
  package var hourlyLimit: Int??
  /// The name of a sound.
  package var sound: String??
  /// Whether the phone may vibrate.
  package var hapticFeedback: Bool?
  /// Whether alerts may be critical, which needs an entitlement from Apple.
  package var criticalAlerts: Bool?
  /// Whether one push sums up what waited for the end of quiet hours.
  package var quietHoursSummary: Bool?
  /// Whether the system may include pushes in its summaries.
  package var summaryNotifications: Bool?
  /// Whether functions such as one that sends e-mail get what stays unread.
  package var unreadReminders: Bool?
  /// Whether phones may show the app's Live Activities.
  package var liveActivities: Bool?
  /// The most messages that MessageAI analyses in an hour.
  package var maxAnalysesPerHour: Int??
  /// The way MessageAI treats the other messages.
  package var fallbackStrategy: FallbackStrategy??

  /// Everything stays as it is.
  package init() {}

  /// The columns that are the same in the table of every app.
  ///
  /// The language is apart, because an app may have made its column itself.
  var deliveryPolicy: [Assignment] {
    var columns: [Assignment] = []
    columns.set("quiet_hours_enabled", isQuiet)
    columns.set("quiet_hours_start", quietStart, as: "time")
    columns.set("quiet_hours_end", quietEnd, as: "time")
    if !quietDays.isEmpty { columns.append(.quietDays(quietDays)) }
    columns.set("timezone", timeZone)
    columns.set("hourly_limit", hourlyLimit)
    columns.set("haptic_feedback", hapticFeedback)
    columns.set("critical_alerts", criticalAlerts)
    columns.set("quiet_hours_summary", quietHoursSummary)
    return columns
  }
}
