import FoundationEssentials
import FunctionKit
import Postgres

/// Ada, who calls, and Ben: nothing of his may be seen or changed.
struct FuzzScene {
  let scene: APIScene
  let functions: HTTPFunctions
  /// Values that are in Ben's rows and in nobody else's, in lower case.
  let secrets: [String]
  /// Ids of Ben's first, then of what both know, then an unknown one.
  let ids: [String]
  private let tables: SQL

  private static let bensDevice = "bbbbbbbb-0000-4000-8000-000000000001"
  private static let bensEntry = "bbbbbbbb-0000-4000-8000-000000000002"

  init() async throws {
    scene = try await APIScene()
    functions = try await HTTPFunctions(
      Environment(["DATABASE_URL": scene.demo.url, "UNSUBSCRIBE_SECRET": String(repeating: "s3cret", count: 8)]))
    secrets = ["marker-ben", Self.bensDevice, Self.bensEntry]
    try await scene.connection.script(Self.plant)
    var ids = [Self.bensDevice, Self.bensEntry]
    for table in ["device_tokens", "notifications", "projects", "groups", "event_proposals", "events", "feedbacks"] {
      ids += try await scene.connection.query(
        "SELECT id::text AS id FROM \(identifier: table) ORDER BY id LIMIT 3"
      ).map { try $0.decode("id", as: String.self) }
    }
    self.ids = ids + ["00000000-0000-4000-8000-000000000000"]
    tables = try await Self.fingerprints(scene.connection)
  }

  /// The content of every table: everybody's, and Ben's.
  func state() async throws -> (all: String, bens: String) {
    let row = try await scene.connection.query(tables).only()
    return (try row.decode("everything"), try row.decode("bens"))
  }

  private static func fingerprints(_ connection: Connection) async throws -> SQL {
    let rows = try await connection.query(
      """
      SELECT table_name::text AS name, bool_or(column_name = 'user_id' AND data_type = 'uuid') AS owned
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' GROUP BY table_name ORDER BY table_name
      """)
    var parts: SQL = ""
    for (index, row) in rows.enumerated() {
      let table = try row.decode("name", as: String.self)
      let owner: SQL = try row.decode("owned", as: Bool.self) ? "t.user_id = \(Person.ben.id)::uuid" : "false"
      let union: SQL = index == 0 ? "" : " UNION ALL "
      parts = """
        \(parts)\(union)SELECT \(table)::text AS name, count(*) AS rows,
          sum(hashtext(t.xmin::text || t::text)) AS everything,
          sum(hashtext(t.xmin::text || t::text)) FILTER (WHERE \(owner)) AS bens
        FROM \(identifier: table) AS t
        """
    }
    return """
      SELECT string_agg(concat_ws(' ', name, rows, everything), E'\n' ORDER BY name) AS everything,
        string_agg(concat_ws(' ', name, bens), E'\n' ORDER BY name) AS bens
      FROM (\(parts)) AS tables
      """
  }

  private static let plant = """
    UPDATE users SET email = 'marker-ben@example.com' WHERE id = '\(Person.ben.id)';
    INSERT INTO user_tokens (value, user_id, expires_at)
      VALUES ('token-expired', '\(Person.ada.id)', now() - interval '1 hour');
    INSERT INTO device_tokens (id, user_id, token, platform, app_version, installation_id)
      VALUES ('\(bensDevice)', '\(Person.ben.id)', 'marker-ben-token', 'iOS', 'marker-ben', 'marker-ben-phone');
    INSERT INTO notifications (id, user_id, type, title, body, data)
      VALUES ('\(bensEntry)', '\(Person.ben.id)', 'new_feedback', 'marker-ben-title', 'marker-ben-body',
        '{"secret":"marker-ben-data"}');
    INSERT INTO notifications (id, user_id, type, title, body, app)
      SELECT format('aaaaaaaa-0000-4000-8000-00000000000%s', n)::uuid, '\(Person.ada.id)',
        CASE n % 2 WHEN 0 THEN 'new_feedback' ELSE 'proposal_created' END, 'Ada''s ' || n, 'text',
        CASE n % 2 WHEN 0 THEN 'feedbackkit' ELSE 'lockitin' END
      FROM generate_series(1, 9) AS n;
    """
}
