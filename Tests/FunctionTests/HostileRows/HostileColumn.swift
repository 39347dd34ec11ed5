import Postgres

/// A column of a table of the apps, and values that PostgreSQL takes there and nobody expects.
struct HostileColumn {
  let name: String
  private let type: String
  private let length: Int?

  /// The columns into which an app may write.
  static func all(of table: String, in connection: Connection) async throws -> [HostileColumn] {
    try await connection.query(
      """
      SELECT a.attname AS name, t.typname AS type, CASE WHEN t.typname = 'varchar' THEN a.atttypmod - 4 END AS length
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
      WHERE a.attrelid = \(table)::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        AND a.attname <> 'id'
      ORDER BY a.attnum
      """
    ).map { HostileColumn(name: try $0.decode("name"), type: try $0.decode("type"), length: try $0.optional("length")) }
  }

  /// The values as SQL.
  var values: [String] {
    (Self.values(of: type) + ["NULL"]).map { value in
      length.map { "left(\(value), \($0 < 0 ? 4_000 : $0))" } ?? value
    }
  }

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
}
