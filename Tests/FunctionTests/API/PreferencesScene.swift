import API
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres

@testable import Preferences

extension APIScene {
  static let projectPath = "/api/v1/projects/b0000000-0000-4000-8000-000000000001/notification-preferences"
  static let groupPath = "/api/v1/groups/\(Demo.group)/notification-preferences"
  static let proposal = "/api/v1/proposals/\(Demo.proposal)/notification-preferences"
  static let personal = "/api/v1/auth/notifications"

  var preferences: Preferences {
    Preferences(tokens: tokens, store: PreferenceStore(connection), muteStore: MuteStore(connection))
  }

  func mutes(as person: Person = .ada, at now: Date = Demo.now) async throws -> APIAnswer {
    try await call(preferences, .get, "/api/v1/mutes", as: person, at: now)
  }

  @discardableResult
  func mute(
    _ body: String, as person: Person = .ada, at now: Date = Demo.now, dryRun: Bool = false
  ) async throws -> APIAnswer {
    try await call(preferences, .put, "/api/v1/mutes", as: person, body, at: now, dryRun: dryRun)
  }

  func read(_ path: String, as person: Person = .ada, app: String? = nil) async throws -> APIAnswer {
    try await call(preferences, .get, path, as: person, query: app.map { ["app": $0] })
  }

  func patch(
    _ path: String, as person: Person = .ada, app: String? = nil, _ body: String, dryRun: Bool = false
  ) async throws -> APIAnswer {
    try await call(
      preferences, .patch, path, as: person, query: app.map { ["app": $0] }, body, dryRun: dryRun)
  }

  /// Makes LockItIn's column `language` as an app made it: an enum `tongue`, a domain `spoken` or `short`, or another
  /// type.
  func ownLanguages(_ column: String) async throws {
    try await connection.script(
      """
      CREATE TYPE tongue AS ENUM ('en', 'pt', 'zh_TW');
      CREATE TYPE "own ""own"" tongue" AS ENUM ('en', 'pt');
      CREATE DOMAIN spoken AS text CHECK (VALUE IN ('en', 'pt'));
      CREATE DOMAIN short AS varchar(2);
      DELETE FROM user_notification_preferences;
      ALTER TABLE user_notification_preferences DROP language, ADD language \(column)
      """)
  }

  /// Everything that preferences consist of, told by a hash.
  func stored() async throws -> String {
    let tables: SQL = """
      SELECT to_jsonb(u) AS row FROM users u UNION ALL SELECT to_jsonb(s) FROM notification_settings s
      UNION ALL SELECT to_jsonb(p) FROM user_notification_preferences p
      UNION ALL SELECT to_jsonb(m) FROM project_member_preferences m
      UNION ALL SELECT to_jsonb(g) FROM group_notification_preferences g
      UNION ALL SELECT to_jsonb(e) FROM event_proposals e
      """
    let row = try await connection.query(
      "SELECT md5(string_agg(row::text, ',' ORDER BY row::text)) AS hash FROM (\(tables)) t")
    return try row.only().decode("hash")
  }
}

extension APIAnswer {
  /// A value inside of the answer as JSON text.
  subscript(_ path: String...) -> String? {
    path.reduce(json as RawJSON?) { $0?[$1] }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}
