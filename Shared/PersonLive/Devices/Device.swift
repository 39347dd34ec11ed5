public import FoundationEssentials
public import Notifications
import Postgres

/// A device as its person sees it: without its token.
public struct Device: Sendable, Encodable, Equatable {
  /// The row of `device_tokens`, a UUID in lower case.
  public let id: String
  /// The app whose pushes it gets.
  public let app: String
  /// `iOS`, `macOS` and so on.
  public let platform: String
  /// The app's version.
  public let appVersion: String?
  /// The system's version.
  public let osVersion: String?
  /// Whether it is sent to.
  public let isActive: Bool
  /// When it was first registered.
  public let createdAt: Date?
  /// When APNs or FCM last accepted a push for it.
  public let lastUsedAt: Date?

  static let columns: SQL = "id, app, platform, app_version, os_version, is_active, created_at, last_used_at"

  init(_ row: Row) throws(PostgresError) {
    id = try row.decode("id", as: UUID.self).uuidString.lowercased()
    app = try row.decode("app")
    platform = try row.decode("platform")
    appVersion = row["app_version"]
    osVersion = row["os_version"]
    isActive = try row.decode("is_active")
    createdAt = try row.optional("created_at", as: Date.self)
    lastUsedAt = try row.optional("last_used_at", as: Date.self)
  }
}

/// What an app tells of the device that it runs on.
public struct DeviceRegistration: Sendable {
  /// What APNs or FCM knows it by.
  public private(set) var token: String
  /// The app.
  public var app: App
  /// What it runs on.
  public let platform: Platform
  /// The service that carries its pushes; `nil` for its platform's usual one.
  public let provider: PushProvider?
  /// The app's version.
  public var appVersion: String?
  /// The system's version.
  public var osVersion: String?
  /// Which of Apple's two worlds the token belongs to; where it is `nil`, sending finds it out.
  public var environment: PushEnvironment?
  /// The app's bundle id, which is the push topic.
  public var bundleID: String?
  /// Names an installation of the app: with a new token, its old one is no longer sent to.
  public var installationID: String?

  /// A registration with what is required.
  public init(token: String, app: App, platform: Platform, provider: PushProvider? = nil) {
    (self.token, self.app, self.platform, self.provider) = (token, app, platform, provider)
    if isHexadecimal { self.token = token.lowercased() }
  }

  /// Whether the token is one of APNs' in hexadecimal digits, whose case means nothing.
  var isHexadecimal: Bool { (provider ?? platform.provider) == .apns && Self.isHexadecimal(token) }

  static func isHexadecimal(_ token: String) -> Bool {
    token.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  /// What an app runs on; the raw value stands in `device_tokens.platform`.
  public enum Platform: String, Sendable, CaseIterable {
    case iOS, iPadOS, macOS, watchOS, tvOS, visionOS
    case android = "Android"
    case web = "Web"

    /// The service that delivers pushes to it.
    public var provider: PushProvider { self == .android || self == .web ? .fcm : .apns }
  }
}
