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

  /// How many pushes an hour a person gets who has said nothing; `nil` for any number.
  public var defaultHourlyLimit: Int? { self == .lockItIn ? 5 : nil }

  /// Whether one push says what waited for the end of quiet hours, for a person who has said nothing.
  public var summarizesQuietHours: Bool { self == .lockItIn }

  /// The key of its payloads that holds the notification's id, written as it writes its others.
  public var idKey: PushPayload.IDKey {
    switch self {
    case .feedbackKit, .messageAI: .camelCase
    case .lockItIn, .repairMinder, .mugshot: .snakeCase
    }
  }
}
