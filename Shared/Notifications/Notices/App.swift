public import PushPayload

/// The apps whose people are told.
///
/// Kinds, devices, switches and badges belong to one of them. The raw value stands in the column `app`.
public enum App: String, Sendable, CaseIterable {
  case feedbackKit = "feedbackkit"
  case lockItIn = "lockitin"
  case repairMinder = "repairminder"
  case mugshot
  case messageAI = "messageai"

  /// Whether its service extension may change every alert before it is shown.
  var hasMutableAlerts: Bool { self == .feedbackKit || self == .lockItIn }

  /// Whether alerts wake it in the background too.
  var isWokenByAlerts: Bool { self == .messageAI }

  /// The hourly limit of pushes for a person who has not set one; `nil` for no limit.
  public var defaultHourlyLimit: Int? { self == .lockItIn ? 5 : nil }

  /// Whether one push says what waited for the end of quiet hours, for a person who has not chosen.
  public var summarizesQuietHours: Bool { self == .lockItIn }

  /// The key that holds the notification's id in its payloads, written like the app's other keys.
  public var idKey: PushPayload.IDKey {
    switch self {
    case .feedbackKit, .messageAI: .camelCase
    case .lockItIn, .repairMinder, .mugshot: .snakeCase
    }
  }
}
