import FoundationEssentials
import FunctionKit
import Postgres
import TestSupport
import Testing

/// Rows with values that PostgreSQL takes and nobody expects: each harms at most itself.
@Suite(.heavy, .qualifiesReleases)
struct HostileRowsTests {
  /// The tables that any function reads; tables that functions write themselves are left out.
  private static let tables = [
    "comments", "device_tokens", "event_attendees", "event_conflicts", "event_proposals", "events", "feedbacks",
    "friend_requests", "group_invites", "group_members", "group_notification_preferences", "groups",
    "held_notifications", "notification_settings", "notifications", "project_member_preferences", "project_members",
    "projects", "proposal_leads", "proposal_options", "proposal_votes", "user_activity",
    "user_notification_preferences", "users", "votes",
  ]

  /// Values of a type, as SQL.
  private static func values(of type: String) -> [String] {
    switch type {
    case "timestamptz", "timestamp", "date":
      ["'infinity'", "'-infinity'", "'294276-12-31'", "'4713-01-01 BC'", "'9999-12-31'", "'0001-01-01'"]
    case "time": ["'24:00'", "'00:00'"]
    case "text", "varchar", "bpchar":
      [
        "repeat('x', 4000)", "repeat(U&'\\+01F469\\200D\\+01F467', 1000)", "repeat('漢', 1300)", "''",
        "repeat(E'\\x01\\\\\"', 900)", "repeat(U&'\\0301', 3000)", "'not a uuid'", "'infinity'",
      ]
    case "int2": ["32767", "-32768", "0"]
    case "int4": ["2147483647", "-2147483648", "0", "-1"]
    case "int8": ["9223372036854775807", "-9223372036854775808", "0", "-1"]
    case "numeric": ["'NaN'", "1e300", "-1e300"]
    case "float4", "float8": ["'NaN'", "'Infinity'", "'-Infinity'", "1e300"]
    case "bool": ["true", "false"]
    case "json": [#"'{"a":"\u0000"}'"#, "'[]'", "'1e400'"]
    case "jsonb":
      [
        "'[]'", "'null'", "'1'", "'\"x\"'", #"'{"a":[1]}'"#, #"'{"title":{},"entity_id":[],"type":1}'"#,
        #"'{"time_option_id":1e400,"newStatus":[]}'"#, #"('{"a":"' || repeat('x', 5000) || '"}')::jsonb"#,
        "(SELECT jsonb_object_agg('key' || n, n) FROM generate_series(1, 1000) AS n)",
      ]
    default: []
    }
  }

  private struct Column {
    let name: String
    let type: String
    let length: Int?
  }

  private func columns(of table: String, _ world: HostileWorld) async throws -> [Column] {
    try await world.demo.connection.query(
      """
      SELECT a.attname AS name, t.typname AS type, CASE WHEN t.typname = 'varchar' THEN a.atttypmod - 4 END AS length
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
      WHERE a.attrelid = \(table)::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        AND a.attname <> 'id'
      ORDER BY a.attnum
      """
    ).map { Column(name: try $0.decode("name"), type: try $0.decode("type"), length: try $0.optional("length")) }
  }

  @Test(arguments: tables)
  func whatIsInARowHarmsNobodyElse(table: String) async throws {
    let world = try await HostileWorld()
    let usual = try await world.scheduled()
    #expect(usual.count == 11 && usual.count { $0.contains("notify") } >= 8, "\(usual)")
    var changes = 0
    let rows: SQL = "to_jsonb(t)::text NOT LIKE '%cccccccc-%'"
    try await world.demo.connection.script("CREATE TABLE kept AS SELECT * FROM \(table)")

    for column in try await columns(of: table, world) {
      for value in Self.values(of: column.type) + ["NULL"] {
        let fitting = column.length.map { "left(\(value), \($0 < 0 ? 4_000 : $0))" } ?? value
        do {
          try await world.demo.connection.script(
            """
            SET session_replication_role = replica;
            UPDATE \(table) t SET \(column.name) = \(fitting) WHERE \(rows.text);
            SET session_replication_role = origin
            """)
        } catch {
          guard Self.isRefusal(error) else { throw error }
          // What the table does not take harms nobody.
          try await world.demo.connection.script("SET session_replication_role = origin")
          continue
        }
        changes += 1
        await look(world, "\(table).\(column.name) = \(value.prefix(60))", changed: table, usual: usual)
        try await world.demo.connection.script(
          """
          SET session_replication_role = replica;
          DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM kept;
          SET session_replication_role = origin
          """)
      }
    }
    #expect(changes > 5)
  }

  /// Whether the table does not take a value: data exceptions, constraints, and types that cannot hold the value.
  private static func isRefusal(_ error: PostgresError) -> Bool {
    error.sqlState.map { $0.hasPrefix("22") || $0.hasPrefix("23") || $0 == "42804" } ?? false
  }

  private static let feedbackKit: Set = [
    "comments", "feedbacks", "project_member_preferences", "project_members", "projects", "votes",
  ]

  /// Tables of two apps have nothing to do with each other; people and their devices belong to all of them.
  private static func areRelated(_ one: String, _ other: String) -> Bool {
    let shared: Set = [
      "device_tokens", "held_notifications", "notification_settings", "notifications", "user_activity", "users",
    ]
    return shared.contains(other) || one == other || feedbackKit.contains(one) == feedbackKit.contains(other)
  }

  private func look(_ world: HostileWorld, _ change: String, changed table: String, usual: [String]) async {
    do {
      let scheduled = try await world.scheduled()
      #expect(scheduled == usual, "\(change)")
    } catch {
      Issue.record("\(change): \(error)")
    }
    for entrance in HostileWorld.entrances where Self.areRelated(entrance.table, table) {
      do {
        try await entrance.call(world, true)
      } catch let error as FunctionError where error.code == .invalidEvent && entrance.table == table {
        // A row that says nothing usable is a dead letter by itself.
      } catch {
        Issue.record("\(change): \(entrance.table): \(error)")
      }
    }
  }
}
