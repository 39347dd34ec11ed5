import Foundation
import FunctionKit
import HTTPClient
import Postgres
import TestSupport
import Testing

/// A database that an app has made, with the bundle beside the app: it serves as a role that owns nothing.
struct ForeignScene {
  let database: ForeignDatabase
  let runner: RunningRunner
  private let access: RoleDatabase
  private static let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

  /// The database as the app has made it.
  ///
  /// - Parameter isBlank: whether every boolean of the app's tables that is as by default is NULL.
  init(_ database: ForeignDatabase, isBlank: Bool = false) async throws {
    self.database = database
    access = try await database.server.makeDatabase("\(isBlank ? "blank_" : "")\(database)".lowercased())
    let manifest = database.members.reduce(try House.text("functions.json")) { $0.replacing($1.place, with: $1.text) }
      .replacing(/"(feedbackkit|lockitin|messageai|mugshot|repairminder)": {}/) {
        #""\#($0.1)": {"bundleId": "com.example.\#($0.1)"}"#
      }
    runner = try await RunningRunner(
      try database.leaving(manifest), environment: ["DATABASE_URL": access.role, "UNSUBSCRIBE_SECRET": Self.secret],
      database: access.owner)
    try await RunningBundle.copySamples(to: runner.project.path)
    for script in database.scripts {
      try await runner.database.script(try House.text("Tests/FunctionTests/Databases/\(script).sql"))
    }
    if !database.server.grants.isEmpty { try await runner.database.script(database.server.grants) }
    if isBlank { try await blankBooleans() }
  }

  /// Sets every boolean of the app's tables that is as by default to NULL, and those in rows that come.
  ///
  /// Whether an address is verified stays.
  private func blankBooleans() async throws {
    let columns = try await runner.database.query(
      """
      SELECT a.attrelid::regclass::text AS tab, quote_ident(a.attname) AS col,
        coalesce(pg_get_expr(d.adbin, d.adrelid), quote_ident(a.attname)) AS standard
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE c.relnamespace = 'public'::regnamespace AND a.atttypid = 'boolean'::regtype AND a.attnum > 0
        AND NOT a.attisdropped AND a.attgenerated = '' AND a.attname !~ 'verified'
      """)
    for column in columns {
      let (table, name): (String, String) = (try column.decode("tab"), try column.decode("col"))
      let standard: String = try column.decode("standard")
      try await runner.database.script(
        """
        ALTER TABLE \(table) ALTER COLUMN \(name) DROP NOT NULL, ALTER COLUMN \(name) DROP DEFAULT;
        UPDATE \(table) SET \(name) = NULL WHERE \(name) = (\(standard))
        """)
    }
  }

  /// Migrates it, and lets the role in; what is refused is mended first, by the statements that the refusal names.
  ///
  /// - Returns: what the app had before.
  func migrate() async throws -> OwnTables {
    var own = try await ownTables()
    var outcome = try await access.migrate(runner)
    let refused = outcome.stderr.matches(of: #/\n  (\w+\.\w+) is /#).map { String($0.1) }
    #expect(Set(refused) == database.unfit, "\(outcome.stderr)")
    if !refused.isEmpty {
      let statements = outcome.stderr.matches(of: /ALTER TABLE [^\n]+/).map { String($0.0) }
      try #require(outcome.exit == 78 && !statements.isEmpty, "a refusal that names no way: \(outcome.stderr)")
      for statement in statements { try await runner.database.script(statement) }
      own = try await ownTables()
      outcome = try await access.migrate(runner)
    }
    try #require(outcome.exit == 0, "migrate: \(outcome.stderr)")
    try await access.letRoleIn(runner)
    return own
  }

  func ownTables(like earlier: OwnTables? = nil) async throws -> OwnTables {
    try await OwnTables(runner.database, as: database.server.appRole, like: earlier)
  }

  /// Serves, and signs people in, whose phones register themselves.
  ///
  /// Schedules come due when an act says so, and not in the middle of another one.
  func start() async throws -> ServedScene {
    let served = try await runner.start(services: true, migrates: false, options: ["--no-schedules"])
    try await served.program.line { $0.contains("Partitions taken") }
    let scene = ServedScene(
      scene: self, served: served, phones: try Phones(served, project: runner.project.path),
      token: try await token("ada"))
    for (number, name) in database.callers.enumerated() {
      let token = name == "ada" ? scene.token : try await token(name)
      try await scene.register(String(repeating: "\(number + 1)b", count: 32), app: database.app, token)
    }
    try await scene.register(String(repeating: "e5", count: 32), app: "messageai", scene.token)
    try await runner.settle()
    return scene
  }

  /// A token of the API, as the role makes it.
  private func token(_ name: String) async throws -> String {
    let outcome = try await runner.run(["token", "create", "--user", "\(name)@example.com", "--json"])
    try #require(outcome.exit == 0, "runner token create: \(outcome.stderr)")
    return try RawJSON(validating: Array(outcome.stdout.utf8)[...])["token"]?.stringValue ?? ""
  }

  /// Statements of the app, as its own role.
  func act(_ sql: String) async throws {
    try await runner.database.script("SET ROLE \(database.server.appRole); \(sql); RESET ROLE")
  }

  func text(_ sql: SQL) async throws -> [String] {
    try await runner.database.query("SELECT line::text FROM (\(sql)) AS s (line) ORDER BY 1").decode("line")
  }
}
