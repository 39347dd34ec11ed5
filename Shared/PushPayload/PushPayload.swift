/// The payload of a push: Apple's `aps` dictionary, and the app's own keys beside it.
///
/// Source: https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification
public struct PushPayload: Sendable, Equatable {
  /// The most bytes that APNs accepts.
  public static let maximumSize = 4096

  /// The text to show; `nil` for a push that shows none.
  public var alert: Alert?
  /// The number on the app icon; 0 removes it, `nil` leaves it as it is.
  public var badge: Int?
  /// The name of the sound; `default` is the system's, `nil` means silent.
  ///
  /// With the level ``InterruptionLevel/critical`` it is a critical sound at full volume.
  public var sound: String?
  /// The id of the group that the device shows the notification in.
  public var threadID: String?
  /// The name of the set of actions that the app registered.
  public var category: String?
  /// How much the push may disturb.
  public var interruptionLevel: InterruptionLevel?
  /// From 0 to 1: which notification the system puts first in a summary.
  public var relevanceScore: Double?
  /// Whether the app's service extension may change the push before it is shown.
  public var isMutable: Bool
  /// Whether the push wakes the app in the background.
  public var isContentAvailable: Bool
  /// The app's own keys.
  public var values: [String: Value]

  /// A payload with a text and the app's own keys; set everything else afterwards.
  public init(alert: Alert? = nil, values: [String: Value] = [:]) {
    self.alert = alert
    self.values = values
    isMutable = false
    isContentAvailable = false
  }

  /// The key of the notification's id in the payload; the id is in lower case.
  ///
  /// With this id the app reports that the push was opened or acted on.
  public enum IDKey: String, Sendable {
    case camelCase = "notificationId"
    case snakeCase = "notification_id"
  }

  /// The text of a push.
  public struct Alert: Sendable, Equatable {
    /// The first line.
    public var title: String?
    /// The second line.
    public var subtitle: String?
    /// The text below.
    public var body: String?

    /// A text from its parts.
    public init(title: String? = nil, subtitle: String? = nil, body: String? = nil) {
      (self.title, self.subtitle, self.body) = (title, subtitle, body)
    }
  }

  /// How much a push may disturb, as Apple names it.
  public enum InterruptionLevel: String, Sendable {
    /// Listed without a sound and without lighting the screen.
    case passive
    /// The default.
    case active
    /// Breaks through a Focus; the app needs the capability.
    case timeSensitive = "time-sensitive"
    /// Sounds even when muted; the app needs an entitlement from Apple.
    case critical
  }

  /// The value of one of the app's own keys.
  public enum Value: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case string(String)
    case integer(Int)

    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
  }
}
