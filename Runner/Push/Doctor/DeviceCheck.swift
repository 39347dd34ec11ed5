import CLI
import FunctionKit
import Notifications
import Postgres
import PushLive

/// Checks whether the configuration reaches every active device.
struct DeviceCheck {
  private let database: Connection
  private let environment: Environment

  init(_ database: Connection, _ environment: Environment) {
    (self.database, self.environment) = (database, environment)
  }

  /// - Parameters:
  ///   - apns: `nil` if APNs is not configured, or wrongly; `fcm` likewise.
  func findings(_ apns: APNsKeys?, _ fcm: FCMConfiguration?) async throws(PostgresError) -> [Finding] {
    let rows = try await database.query(
      """
      SELECT provider, app, bundle_id, environment, count(*) AS devices FROM device_tokens
      WHERE is_active IS NOT FALSE
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      """)
    var findings: [Finding] = []
    var total = 0
    for row in rows {
      let count: Int = try row.decode("devices")
      total += count
      // Others are named below.
      guard let app = row["app"], App(rawValue: app) != nil else { continue }
      let problem =
        switch PushProvider(rawValue: try row.decode("provider")) {
        case .fcm:
          fcm.map { $0.account(for: app) == nil ? "no FCM service account serves \(app)" : nil }
            ?? (FCMConfiguration.isWanted(by: environment)
              ? "FCM is configured wrongly, see above" : "FCM is not configured: set FCM_SERVICE_ACCOUNT_PATH")
        default:
          apns.map { Self.problem(of: app, row["bundle_id"], row["environment"], $0) }
            ?? (APNsConfiguration.isWanted(by: environment)
              ? "APNs is configured wrongly, see above"
              : "APNs is not configured: set APNS_KEY_ID, APNS_TEAM_ID and APNS_KEY_PATH")
        }
      if let problem { findings.append(.warning("devices", "\(count) of \(app) wait: \(problem)")) }
    }
    findings += try await strangers() + leftOut()
    return findings.isEmpty ? [.ok("devices", "\(total) active, all with a key or an account")] : findings
  }

  /// Devices and unread notifications that name no app, or one that there is not: nobody is told by them.
  private func strangers() async throws(PostgresError) -> [Finding] {
    let known = App.allCases.map(\.rawValue)
    let rows = try await database.query(
      """
      SELECT 'device_tokens' AS name, app, count(*) AS rows FROM device_tokens
      WHERE is_active IS NOT FALSE AND (app = ANY (\(known))) IS NOT TRUE GROUP BY 2
      UNION ALL
      SELECT 'notifications', app, count(*) FROM notifications
      WHERE counts_for_badge AND is_read IS NOT TRUE AND is_archived IS NOT TRUE AND (app = ANY (\(known))) IS NOT TRUE
      GROUP BY 2
      ORDER BY 1, 2
      """)
    return try rows.map { row throws(PostgresError) in
      let (table, count): (String, Int) = (try row.decode("name"), try row.decode("rows"))
      let what = table == "device_tokens" ? "devices" : "unread notifications"
      guard let app = row["app"] else {
        return .warning(
          "apps",
          """
          \(what) that name no app: \(count); UPDATE \(table) SET app = '…' WHERE app IS NULL, and "defaultApp" in \
          functions.json names the app of rows to come
          """)
      }
      let name = app.replacing("'", with: "''")
      return .warning(
        "apps",
        """
        \(what) of \(app), which is none of the apps (\(known.sorted().joined(separator: ", "))): \(count); \
        UPDATE \(table) SET app = '…' WHERE app = '\(name)'
        """)
    }
  }

  /// Rows of Mugshot's own table that are no devices, with the reason.
  private func leftOut() async throws(PostgresError) -> [Finding] {
    let table = try await database.query(
      """
      SELECT count(*) = 2 AND coalesce(has_table_privilege(to_regclass('user_devices'), 'SELECT'), false) AS may
      FROM pg_attribute
      WHERE attrelid = to_regclass('user_devices') AND attname IN ('user_id', 'push_token') AND NOT attisdropped
      """
    ).only()
    guard try table.decode("may", as: Bool.self) else { return [] }
    let rows = try await database.query(
      """
      SELECT cause, count(*) AS devices
      FROM (
        SELECT CASE
          WHEN coalesce(d.push_token::text, '') = '' THEN 'they have no push_token'
          WHEN NOT EXISTS (SELECT FROM users u WHERE u.id = push_uuid(d.user_id::text))
            THEN 'their people are not in users; if they stand elsewhere, say so under "people" in functions.json'
          ELSE 'nothing has followed the table; the owner runs SELECT push_follow_devices()'
        END AS cause
        FROM user_devices d
        WHERE NOT EXISTS (SELECT FROM device_tokens t WHERE t.token = d.push_token::text)
      ) AS r
      GROUP BY cause ORDER BY cause
      """)
    return try rows.map { row throws(PostgresError) in
      let (devices, cause): (Int, String) = (try row.decode("devices"), try row.decode("cause"))
      return .warning("devices", "\(devices) of user_devices are left out: \(cause)")
    }
  }

  private static func problem(
    of app: String, _ topic: String?, _ environment: String?, _ apns: APNsKeys
  ) -> String? {
    guard let topic = topic ?? apns.topic(of: app) else {
      return "they name no topic: say the app's bundleId under apps in functions.json, or APNS_TOPICS=\(app)=…"
    }
    let environment = environment.flatMap(PushEnvironment.init) ?? apns.environment
    guard apns.keyID(topic, environment) == nil else { return nil }
    return "no key serves \(topic) in \(environment.rawValue)"
  }
}
