import Formats
package import FoundationEssentials
package import FunctionKit
package import Notifications
import Postgres

/// A device as its owner sees it, without the token.
package struct Device: Sendable, Equatable {
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

  /// - Parameter row: begins with ``columns``, which are read by their position, because a list is read often.
  init(_ row: Row) throws(PostgresError) {
    id = try row.decode(at: 0, as: UUID.self).lowercased
    app = try row.decode(at: 1)
    platform = try row.decode(at: 2)
    appVersion = row.text(at: 3)
    osVersion = row.text(at: 4)
    locale = row.text(at: 5)
    isActive = try row.decode(at: 6)
    createdAt = try row.decode(at: 7)
    lastUsedAt = try row.decode(at: 8)
  }

  /// The device in the API.
  package var json: RawJSON {
    var object = JSONObjectWriter(capacity: 512)
    object.add("app", app)
    if let appVersion { object.add("appVersion", appVersion) }
    if let createdAt { object.add("createdAt", RFC3339.seconds(createdAt)) }
    object.add("id", id)
    object.add("isActive", RawJSON(isActive))
    if let lastUsedAt { object.add("lastUsedAt", RFC3339.seconds(lastUsedAt)) }
    if let locale { object.add("locale", locale) }
    if let osVersion { object.add("osVersion", osVersion) }
    object.add("platform", platform)
    return object.finished()
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
