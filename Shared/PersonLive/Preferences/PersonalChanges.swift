public import Notifications

/// New values for a person's preferences of one app.
///
/// `nil` keeps a value; where a value is optional itself, `.some(nil)` empties it, and the default applies.
public struct PersonalChanges: Sendable {
  /// The master switch.
  public var isEnabled: Bool?
  /// The switches that change, by their keys.
  public var switches: [String: Bool?] = [:]
  /// Whether FeedbackKit's server sends e-mail about new feedback, and about comments.
  public var emails: (newFeedback: Bool?, newComments: Bool?)
  /// Whether there are quiet hours.
  public var isQuiet: Bool?
  /// When they begin, `HH:MM`.
  public var quietStart: String??
  /// When they end, `HH:MM`.
  public var quietEnd: String??
  /// The person's zone, an IANA name.
  public var timeZone: String??
  /// How many pushes an hour there are at most.
  public var hourlyLimit: Int??
  /// The name of a sound.
  public var sound: String??
  /// Whether the phone may make itself felt.
  public var hapticFeedback: Bool?
  /// Whether alerts may be critical, which needs an entitlement from Apple.
  public var criticalAlerts: Bool?
  /// Whether one push says what waited for the end of quiet hours.
  public var quietHoursSummary: Bool?
  /// Whether the system may gather them in its summaries.
  public var summaryNotifications: Bool?
  /// How many messages an hour MessageAI looks at.
  public var maxAnalysesPerHour: Int??
  /// What becomes of the others.
  public var fallbackStrategy: FallbackStrategy??

  /// Everything stays as it is.
  public init() {}

  /// What is stored alike for every app.
  var calm: [Assignment] {
    var columns: [Assignment] = []
    columns.set("quiet_hours_enabled", isQuiet)
    columns.set("quiet_hours_start", quietStart, as: "time")
    columns.set("quiet_hours_end", quietEnd, as: "time")
    columns.set("timezone", timeZone)
    columns.set("hourly_limit", hourlyLimit)
    columns.set("haptic_feedback", hapticFeedback)
    columns.set("critical_alerts", criticalAlerts)
    columns.set("quiet_hours_summary", quietHoursSummary)
    return columns
  }
}
