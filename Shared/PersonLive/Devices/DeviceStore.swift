import Formats
package import FoundationEssentials
package import FunctionKit
package import Notifications
package import Postgres

/// People's devices, in PostgreSQL.
package struct DeviceStore: Sendable {
  let connection: Connection

  package init(_ connection: Connection) { self.connection = connection }

  /// Registers a device of a person, or renews its registration.
  ///
  /// A token belongs to one device: only the person who registers it last gets its pushes. Missing fields keep their
  /// values, except the version, topic and installation of another app. The case of an APNs token's digits does not
  /// matter; it is stored in lower case. A person has at most 20 active devices with an app; the ones unused longest are
  /// deactivated.
  package func register(
    _ registration: DeviceRegistration, for person: Person, at now: Date, dryRun: Bool = false
  ) async throws -> Device {
    do {
      return try await registerOnce(registration, for: person, at: now, dryRun: dryRun)
    } catch let error as PostgresError where error.sqlState == "23505" {
      // The app itself inserted the token meanwhile; the second try finds it.
      return try await registerOnce(registration, for: person, at: now, dryRun: dryRun)
    }
  }

  private func registerOnce(
    _ registration: DeviceRegistration, for person: Person, at now: Date, dryRun: Bool
  ) async throws -> Device {
    try await connection.change(by: person, dryRun: dryRun) { transaction in
      if registration.isHexadecimal {
        _ = try await transaction.pipeline([
          .lock(registration.token, of: "token"), .writeInLowerCase(registration.token),
        ])
      }
      if let installation = registration.installationID {
        _ = try await transaction.pipeline([
          .lock(installation, of: registration.app.rawValue),
          .replace(registration, of: installation, for: person, at: now),
        ])
      }
      var registration = registration
      // An app's own column may take other texts than tags, or none.
      if let locale = registration.locale, try await transaction.query(.isTaken(locale)).isEmpty {
        registration.locale = nil
      }
      let device = try Device(try await transaction.query(.register(registration, for: person, at: now)).only())
      _ = try await transaction.query(.endSurplus(of: person, registration.app, at: now))
      return device
    }
  }

  /// A person's devices of one app or of all, the latest first.
  package static func devices(of app: App?) -> PersonalRead<[Device]> {
    PersonalRead { person in
      """
      SELECT \(Device.columns) FROM device_tokens
      WHERE user_id = \(person) AND app = coalesce(\(app?.rawValue as String?), app)
        AND deactivated_reason IS DISTINCT FROM \(SQL.unregistered)
      ORDER BY coalesce(last_used_at, created_at) DESC NULLS LAST, id
      """
    } answer: { rows in
      try rows.map { row in try Device(row) }
    }
  }

  /// Ends the pushes to one of a person's devices.
  /// - Returns: whether the person has such a device.
  package func unregister(_ device: UUID, of person: Person, at now: Date, dryRun: Bool = false) async throws -> Bool {
    try await unregister("id = \(device)", of: person, at: now, dryRun: dryRun)
  }

  /// Ends the pushes of an app, or of all, to the device with a token, if it is the person's.
  /// - Returns: whether the device is the person's.
  package func unregister(
    token: String, app: App?, of person: Person, at now: Date, dryRun: Bool = false
  ) async throws -> Bool {
    try await unregister(
      "\(SQL.has(token)) AND app = coalesce(\(app?.rawValue as String?), app)", of: person, at: now, dryRun: dryRun)
  }

  private func unregister(_ device: SQL, of person: Person, at now: Date, dryRun: Bool) async throws -> Bool {
    try await connection.change(by: person, dryRun: dryRun) { transaction in
      try await transaction.query(
        """
        UPDATE device_tokens SET is_active = false, deactivated_at = \(now), deactivated_reason = \(SQL.unregistered)
        WHERE \(device) AND user_id = \(person.id) AND deactivated_reason IS DISTINCT FROM \(SQL.unregistered)
        """
      ).affectedRows > 0
    }
  }
}

extension SQL {
  /// The reason for a device that its person unregistered; APNs' own reasons begin with a capital letter.
  fileprivate static let unregistered = "unregistered"

  /// Makes one registration of an installation or token wait for another: concurrent ones do not see each other's rows.
  fileprivate static func lock(_ name: String, of space: String) -> SQL {
    "SELECT pg_advisory_xact_lock(hashtextextended(\(space) || \(name), 0))"
  }

  /// Whether a row of `device_tokens` has a token, in any case.
  fileprivate static func has(_ token: String) -> SQL {
    let lower = token.lowercased()
    guard DeviceRegistration.isHexadecimal(token) else { return "token = \(token)" }
    return "(token IN (\(token), \(lower)) OR provider = 'apns' AND lower(token) = \(lower) AND token <> lower(token))"
  }

  /// Finds the row of a token that an app itself stored in another case, and changes the token to lower case.
  fileprivate static func writeInLowerCase(_ token: String) -> SQL {
    """
    UPDATE device_tokens SET token = \(token)
    WHERE id = (
      SELECT id FROM device_tokens WHERE \(has(token))
      ORDER BY token = \(token) DESC, is_active IS NOT FALSE DESC, registered_at DESC LIMIT 1
    ) AND token <> \(token)
    """
  }

  fileprivate static func replace(
    _ registration: DeviceRegistration, of installation: String, for person: Person, at now: Date
  ) -> SQL {
    """
    UPDATE device_tokens SET is_active = false, deactivated_at = \(now), deactivated_reason = \(unregistered)
    WHERE installation_id = \(installation) AND app = \(registration.app.rawValue) AND token <> \(registration.token)
      AND user_id = \(person.id) AND is_active IS NOT FALSE
    """
  }

  /// Deactivates the devices beyond the limit, but not the one that was registered last.
  fileprivate static func endSurplus(of person: Person, _ app: App, at now: Date) -> SQL {
    """
    UPDATE device_tokens SET is_active = false, deactivated_at = \(now), deactivated_reason = 'too_many'
    WHERE id IN (
      SELECT id FROM device_tokens
      WHERE user_id = \(person.id) AND app = \(app.rawValue) AND is_active IS NOT FALSE
      ORDER BY greatest(last_accepted_at, registered_at) DESC, id OFFSET 20)
    """
  }

  fileprivate static func register(_ device: DeviceRegistration, for person: Person, at now: Date) -> SQL {
    let provider = device.provider ?? device.platform.provider
    let (column, value, update): (SQL, SQL, SQL) =
      device.locale.map { ("locale,", "\($0),", "locale = excluded.locale,") } ?? ("", "", "")
    return """
      INSERT INTO device_tokens AS d (user_id, token, app, platform, provider, app_version, os_version, \(column)
        environment, bundle_id, installation_id, created_at, registered_at)
      VALUES (\(person.id), \(device.token), \(device.app.rawValue), \(device.platform.rawValue), \(provider.rawValue),
        \(fitting("app_version", device.appVersion)), \(fitting("os_version", device.osVersion)),
        \(value) \(device.environment?.rawValue as String?), \(device.bundleID as String?),
        \(device.installationID as String?), \(now), \(now))
      ON CONFLICT (token) DO UPDATE SET
        user_id = excluded.user_id, app = excluded.app, platform = excluded.platform, provider = excluded.provider,
        app_version = coalesce(excluded.app_version, \(ofSameApp("app_version"))),
        os_version = coalesce(excluded.os_version, d.os_version), \(update)
        environment = coalesce(excluded.environment, d.environment),
        bundle_id = coalesce(excluded.bundle_id, \(ofSameApp("bundle_id"))),
        installation_id = coalesce(excluded.installation_id, \(ofSameApp("installation_id"))),
        is_active = true, deactivated_at = NULL, deactivated_reason = NULL, registered_at = excluded.registered_at
      RETURNING \(Device.columns)
      """
  }

  /// A row if the column `locale` takes any tag as long as this one: an app may have made the column itself.
  fileprivate static func isTaken(_ locale: String) -> SQL {
    """
    SELECT FROM pg_attribute a
    WHERE a.attrelid = 'device_tokens'::regclass AND a.attname = 'locale' AND a.attgenerated = ''
      AND a.atttypid IN ('text'::regtype, 'varchar'::regtype)
      AND (a.atttypmod = -1 OR char_length(\(locale)) <= a.atttypmod - 4)
      AND NOT EXISTS (
        SELECT FROM pg_constraint c
        WHERE c.conrelid = a.attrelid AND c.contype = 'c' AND a.attnum = ANY (c.conkey))
    """
  }

  /// A text, cut to what the column takes: an app may have made the column itself.
  private static func fitting(_ column: String, _ text: String?) -> SQL {
    """
    left(\(text as String?)::text, (
      SELECT coalesce(nullif(greatest(a.atttypmod, t.typtypmod), -1) - 4, 200)
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
      WHERE a.attrelid = 'device_tokens'::regclass AND a.attname = \(column)))
    """
  }

  /// A column's value, unless another app registers the token: its version, topic and installation are not the first
  /// app's.
  private static func ofSameApp(_ column: String) -> SQL {
    "CASE WHEN d.app = excluded.app THEN d.\(identifier: column) END"
  }
}

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
