import Formats
package import FoundationEssentials
package import Notifications
import Postgres

/// A device as its owner sees it, without the token.
package struct Device: Sendable, Encodable, Equatable {
  /// The row of `device_tokens`, a UUID in lower case.
  package let id: String
  /// The app whose pushes it gets.
  package let app: String
  /// `iOS`, `macOS` and so on.
  package let platform: String
  package let appVersion: String?
  package let osVersion: String?
  /// The tag of the language and region that it is set to.
  package let locale: String?
  /// Whether it gets pushes.
  package let isActive: Bool
  /// When it was first registered.
  package let createdAt: Date?
  /// When APNs or FCM last accepted a push for it.
  package let lastUsedAt: Date?

  /// An app's own row that does not say whether it is active is.
  static let columns: SQL = """
    id, app, platform, app_version, os_version, locale, is_active IS NOT FALSE AS is_active, created_at, last_used_at
    """

  init(_ row: Row) throws(PostgresError) {
    id = try row.decode("id", as: UUID.self).lowercased
    app = try row.decode("app")
    platform = try row.decode("platform")
    appVersion = row["app_version"]
    osVersion = row["os_version"]
    locale = row["locale"]
    isActive = try row.decode("is_active")
    createdAt = try row.optional("created_at", as: Date.self)
    lastUsedAt = try row.optional("last_used_at", as: Date.self)
  }
}

/// An app's registration of its device.
package struct DeviceRegistration: Sendable {
  /// The token of APNs or FCM.
  package private(set) var token: String
  package var app: App
  package let platform: Platform
  /// The service that delivers its pushes; `nil` for its platform's usual one.
  package let provider: PushProvider?
  package var appVersion: String?
  package var osVersion: String?
  /// The tag of the language and region that it is set to.
  package var locale: String?
  /// The token's environment at Apple; if it is `nil`, sending finds it out.
  package var environment: PushEnvironment?
  /// The app's bundle id, which is the push topic.
  package var bundleID: String?
  /// The id of an installation of the app: its new token replaces its old one.
  package var installationID: String?

  /// A registration with the required values.
  package init(token: String, app: App, platform: Platform, provider: PushProvider? = nil) {
    (self.token, self.app, self.platform, self.provider) = (token, app, platform, provider)
    if isHexadecimal { self.token = token.lowercased() }
  }

  /// Whether the token is one of APNs' in hexadecimal digits; their case does not matter.
  var isHexadecimal: Bool { (provider ?? platform.provider) == .apns && Self.isHexadecimal(token) }

  static func isHexadecimal(_ token: String) -> Bool {
    token.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  /// The raw value is stored in `device_tokens.platform`.
  package enum Platform: String, Sendable, CaseIterable {
    case iOS, iPadOS, macOS, watchOS, tvOS, visionOS
    case android = "Android"
    case web = "Web"

    package var provider: PushProvider { self == .android || self == .web ? .fcm : .apns }
  }
}
