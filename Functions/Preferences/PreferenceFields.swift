import API
import FunctionKit
import Notifications
import PersonLive

extension PersonalChanges {
  /// Reads a person's changes for an app.
  ///
  /// Fields of another app must be valid too, but change nothing.
  init(_ fields: Fields, app: App) throws(APIError) {
    self.init()
    isEnabled = try fields.update("pushNotificationsEnabled", .boolean, default: true)
    let (newFeedback, newComments) = (
      try fields.update("notifyNewFeedback", .boolean, default: true),
      try fields.update("notifyNewComments", .boolean, default: true)
    )
    let isUser = app.profile.preferences.hasSwitchesInUsers
    if isUser { (emails.newFeedback, emails.newComments) = (newFeedback, newComments) }
    for owner in App.allCases where owner.profile.preferences.hasSwitchesInUsers {
      for preference in PersonalSwitch.all(of: owner) {
        let isOn = try fields.update(preference.name, .boolean, default: preference.standard ?? true)
        if owner == app, let isOn { switches[preference.key] = isOn }
      }
    }
    if let given = try fields.object("switches") { try read(given, app) }
    if let hours = try fields.object("quietHours") { try read(hours) }
    language = try fields.change("language", .language).new
    hourlyLimit = try fields.change("hourlyLimit", .integer(1...1_000)).new
    sound = try fields.change("sound", .text(1...50)).new
    hapticFeedback = try fields.update("hapticFeedback", .boolean, default: true)
    criticalAlerts = try fields.update("criticalAlerts", .boolean, default: false)
    quietHoursSummary = try fields.update(
      "quietHoursSummary", .boolean, default: app.profile.summarizesQuietHours)
    summaryNotifications = try fields.update("summaryNotifications", .boolean, default: true)
    unreadReminders = try fields.update("unreadReminders", .boolean, default: true)
    liveActivities = try fields.update("liveActivities", .boolean, default: true)
    let most = try fields.change("maxAnalysesPerHour", .integer(1...1_000)).new
    let strategy = try fields.change("fallbackStrategy", .choice as FieldRule<FallbackStrategy>).new
    if app.profile.preferences.limitsAnalyses { (maxAnalysesPerHour, fallbackStrategy) = (most, strategy) }
  }

  private mutating func read(_ given: Fields, _ app: App) throws(APIError) {
    for owner in App.allCases where !owner.profile.preferences.hasSwitchesInUsers {
      for preference in PersonalSwitch.all(of: owner) {
        let change = try given.change(preference.name, .boolean)
        guard preference.canBeSilenced || !change.isChange || change == .set(true) else {
          throw .invalid("switches.\(preference.name) cannot be switched off.")
        }
        guard owner == app, preference.canBeSilenced, let isOn = change.new else { continue }
        switches.updateValue(isOn, forKey: preference.key)
      }
    }
  }

  private mutating func read(_ hours: Fields) throws(APIError) {
    isQuiet = try hours.update("enabled", .boolean, default: false)
    quietStart = try hours.change("start", .timeOfDay).new
    quietEnd = try hours.change("end", .timeOfDay).new
    if let days = try hours.object("days") { quietDays = try Self.days(days) }
    timeZone = try hours.change("timezone", .timeZone).new
  }

  private static func days(_ given: Fields) throws(APIError) -> [Weekday: (start: String, end: String)?] {
    var days: [Weekday: (start: String, end: String)?] = [:]
    for name in given.names {
      guard let day = Weekday(rawValue: name) else {
        throw .invalid(
          "quietHours.days.\(name) is no day: it has \(Weekday.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      let hours = given.isNull(name) ? nil : try given.object(name)
      days.updateValue(
        try hours.map { hours throws(APIError) in
          (start: try hours.required("start", .timeOfDay), end: try hours.required("end", .timeOfDay))
        }, forKey: day)
    }
    return days
  }
}

extension ProjectChanges {
  /// Reads a person's changes for a project.
  init(_ fields: Fields) throws(APIError) {
    self.init()
    if let given = try fields.object("push") {
      isMuted = try given.update("muted", .boolean, default: false)
      push = try given.changes(Override.push)
    }
    if let given = try fields.object("email") {
      isEmailMuted = try given.update("muted", .boolean, default: false)
      email = try given.changes(Override.email)
    }
  }
}

extension Fields {
  /// The changes of the overrides that the request names.
  func changes(_ overrides: [Override]) throws(APIError) -> OverrideChanges {
    var changes: OverrideChanges = [:]
    for override in overrides {
      if let isOn = try change(override.name, .boolean).new { changes.updateValue(isOn, forKey: override) }
    }
    return changes
  }
}

extension Change {
  /// The new value, which may be `.some(nil)`; `nil` without a change.
  var new: Value?? {
    switch self {
    case .keep: nil
    case .clear: .some(nil)
    case .set(let value): .some(value)
    }
  }
}
