import Foundation
import Postgres
import TestSupport

@testable import Capture
@testable import Manifest

/// A database that an app has made, which is migrated and then cleared of that again.
struct RemovalScene {
  /// The app whose database it is.
  enum App: CaseIterable {
    /// Nobody's.
    case nobody
    /// FeedbackKit before pushes.
    case feedbackKit
    /// FeedbackKit with tables for devices and logs that its server's migrations have made.
    case fluent
    /// LockItIn: other names and times without a zone, and texts that must not be missing.
    case lockItIn
    /// Another app's table in partitions, in a schema of its own.
    case shop

    fileprivate var tables: String {
      switch self {
      case .nobody: ""
      case .feedbackKit: Self.own
      case .fluent:
        """
        \(Self.own)
        CREATE TABLE device_tokens (
          id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE, token text NOT NULL,
          platform text NOT NULL CHECK (platform <> ''), app_version text, os_version varchar(20),
          is_active boolean NOT NULL DEFAULT true, created_at timestamptz, last_used_at timestamptz,
          CONSTRAINT "uq:device_tokens.token" UNIQUE (token));
        CREATE TABLE push_notification_logs (
          id uuid, user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
          device_token_id uuid REFERENCES device_tokens (id) ON DELETE SET NULL, notification_type text NOT NULL,
          status text NOT NULL, feedback_id uuid REFERENCES feedbacks (id) ON DELETE SET NULL, project_id uuid,
          payload jsonb, error_message text, apns_id text, created_at timestamptz);
        CREATE INDEX idx_push_logs_user ON push_notification_logs (user_id);
        CREATE INDEX idx_push_logs_status ON push_notification_logs (status);
        INSERT INTO device_tokens (id, user_id, token, platform) SELECT id, id, 'AB' || name, 'iOS' FROM users;
        INSERT INTO push_notification_logs (user_id, notification_type, status) SELECT id, 'x', 'sent' FROM users;
        """
      case .lockItIn:
        """
        \(Self.own)
        CREATE TABLE device_tokens (
          id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
          device_token varchar(255) NOT NULL, platform varchar(10) DEFAULT 'iOS', created_at timestamp DEFAULT now(),
          UNIQUE (user_id, device_token));
        CREATE TABLE notifications (
          id uuid PRIMARY KEY DEFAULT gen_random_uuid(), user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
          type varchar(50) NOT NULL, title varchar(255) NOT NULL, body varchar(500) NOT NULL,
          created_at timestamp NOT NULL DEFAULT now(), project uuid NOT NULL REFERENCES projects (id));
        ALTER TABLE notifications ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON notifications FOR SELECT USING (user_id = current_setting('x', true)::uuid);
        INSERT INTO device_tokens (user_id, device_token) SELECT id, 'ab' FROM users WHERE name = 'Ada';
        INSERT INTO notifications (user_id, type, title, body, project)
        SELECT owner_id, 'x', 'Hello', 'There', id FROM projects;
        """
      case .shop:
        """
        CREATE SCHEMA shop;
        CREATE TABLE shop.orders (id bigint, at date, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
        CREATE TABLE shop.orders_2026 PARTITION OF shop.orders FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
        INSERT INTO shop.orders VALUES (1, '2026-02-03');
        """
      }
    }

    private static var own: String {
      """
      \(Schema.feedbackKitTables)
      INSERT INTO users (email, name) VALUES ('ada@example.com', 'Ada'), ('ben@example.com', 'Ben');
      INSERT INTO projects (name, api_key, owner_id) SELECT 'P', 'key', id FROM users WHERE name = 'Ada';
      """
    }
  }

  let url: String
  let connection: Connection

  init(_ app: App) async throws { try await self.init(in: TemporaryPostgres.database(), app.tables) }

  init(in url: String, _ script: String) async throws {
    self.init(url)
    try await connection.script(script)
  }

  private init(_ url: String) {
    self.url = url
    connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(120))
  }

  /// An app's database that is migrated; that runs once for all of them.
  static func migrated(_ app: App) async throws -> RemovalScene {
    let url = try await TemporaryPostgres.database(
      migrated: { url in
        let scene = try await RemovalScene(in: url, app.tables)
        try await scene.migrate()
        await scene.connection.close()
      }, named: "migrated \(app)")
    return RemovalScene(url)
  }

  /// The bundle's, with a function that hears of the shop's orders where there are any.
  static func manifest(people: String = "") throws -> Manifest {
    let text = try String(contentsOfFile: "\(Schema.project)/functions.json", encoding: .utf8)
    let changed = text.replacing(#""into": "users""#, with: #""into": "users"\#(people)"#)
    return try Manifest(text: Array(changed.utf8), file: "functions.json", directory: Schema.project)
  }

  @discardableResult
  func migrate(_ manifest: Manifest? = nil, granting role: String? = nil) async throws -> Migrator.Report {
    try await Migrator(database: connection).migrate(manifest ?? Self.manifest(), granting: role)
  }

  @discardableResult
  func remove(evenWaiting: Bool = false) async throws -> Remover.Report {
    try await remover.remove(Self.manifest(), evenWaiting: evenWaiting)
  }

  func plan() async throws -> Remover.Plan { try await remover.plan(Self.manifest()) }

  private var remover: Remover { Remover(database: connection, timeLimit: .seconds(1)) }

  /// The output of `pg_dump` about the tables and their rows, in the order of text: rights have none of their own.
  func dump() async throws -> [String] {
    let dump = try await BuiltExecutables.run(TemporaryPostgres.program("pg_dump"), ["--dbname", url])
    guard dump.exit == 0 else { throw ProgramFailure(description: dump.stderr) }
    return dump.stdout.split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("\\restrict") && !$0.hasPrefix("\\unrestrict") }.sorted()
  }

  func isThere(_ table: String) async throws -> Bool {
    try await connection.query("SELECT to_regclass(\(table)) IS NOT NULL AS yes").only().decode("yes")
  }
}
