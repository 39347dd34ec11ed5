import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// The row changes that functions get, compared with what a trigger from Supabase's documentation writes down.
@Suite(.heavy)
struct CapturePayloadTests {
  /// A type with two values of it.
  static let samples: [(type: String, first: String, second: String)] = [
    ("uuid", "'3f333df6-90a4-4fda-8dd3-9485d27cee36'", "'00000000-0000-0000-0000-000000000000'"),
    ("text", #"E'ü "quoted" \\ \n\t\u2028 😀'"#, "''"),
    ("varchar(20)", "'short'", "'  padded  '"),
    ("char(5)", "'ab'", "'abcde'"),
    ("boolean", "true", "false"),
    ("smallint", "-32768", "32767"),
    ("integer", "-2147483648", "2147483647"),
    ("bigint", "9007199254740993", "-9223372036854775808"),
    ("numeric", "1.50", "'NaN'"),
    ("numeric(40, 10)", "123456789012345678901234567890.0000000001", "0"),
    ("real", "1.1", "'Infinity'"),
    ("double precision", "0.1", "'-Infinity'"),
    ("timestamptz", "'2026-01-02 03:04:05.6+00'", "'infinity'"),
    ("timestamp", "'2026-07-02 03:04:05.123456'", "'0044-03-15 12:00:00 BC'"),
    ("date", "'2026-02-28'", "'-infinity'"),
    ("time", "'23:59:59.5'", "'00:00'"),
    ("timetz", "'23:59:59+02'", "'00:00-08'"),
    ("interval", "'1 year 2 mons 3 days 04:05:06.7'", "'-1 day'"),
    ("bytea", #"'\xdeadbeef00'"#, "''"),
    ("text[]", #"ARRAY['a', NULL, 'b "c"', '']"#, "'{}'"),
    ("uuid[]", "ARRAY['3f333df6-90a4-4fda-8dd3-9485d27cee36'::uuid, NULL]", "'{}'"),
    ("int[]", "ARRAY[[1, 2], [3, NULL]]", "'{}'"),
    ("timestamptz[]", "ARRAY['2026-01-02 03:04:05+00'::timestamptz]", "'{}'"),
    ("jsonb", #"'{"b": 1, "a": [1.50, null, "é"], "": 9007199254740993}'"#, "'null'"),
    ("json", #"'{"b" :1,"a":2,  "a":3}'"#, "'[]'"),
    ("xml", "'<a>b</a>'", "'<c/>'"),
    ("inet", "'10.0.0.1/8'", "'::1'"),
    ("mood", "'sad'", "'happy'"),
    ("point2", "ROW(1, 'x')", "ROW(NULL, NULL)"),
    ("postcode", "'10115'", "'20095'"),
    ("int4range", "'[1,5)'", "'empty'"),
    ("tstzrange", "'[2026-01-02 03:04:05+00,)'", "'empty'"),
  ]

  private static let types = """
    CREATE TYPE mood AS ENUM ('sad', 'happy');
    CREATE TYPE point2 AS (x int, label text);
    CREATE DOMAIN postcode AS text CHECK (VALUE ~ '^[0-9]{5}$');
    """

  @Test func everyTypeIsWrittenAsADatabaseWebhookWritesIt() async throws {
    let database = try await CapturingDatabase(tables: Self.types, functions: "")
    for sample in Self.samples {
      try await database.connection.script(
        "DROP TABLE IF EXISTS t; CREATE TABLE t (id bigint PRIMARY KEY, n int, v \(sample.type), \"Odd Name\" text)")
      try await database.migrate()
      try await database.addReference()

      // What a session keeps of its first write must not be what it says in another zone.
      for zone in ["America/New_York", "UTC", "America/New_York"] {
        try await database.connection.script(
          """
          SET TIME ZONE '\(zone)';
          INSERT INTO t VALUES (9007199254740993, 1, \(sample.first)), (2, NULL, NULL), (3, 3, \(sample.second));
          UPDATE t SET v = \(sample.second), "Odd Name" = 'o' WHERE id > 3;
          UPDATE t SET v = NULL, n = 7 WHERE id = 3;
          UPDATE t SET v = \(sample.first) WHERE id = 2;
          DELETE FROM t;
          """)

        let bodies = try await database.bodies()
        #expect(bodies.count == 9)
        #expect(try await database.references() == bodies, "\(sample.type), \(zone)")
      }
    }
  }

  @Test func theSamplesHaveEveryTypeOfTheAppsTables() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    let used = try await database.connection.query(
      """
      SELECT DISTINCT t.oid::regtype::text AS type
      FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_type AS t ON t.oid = a.atttypid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0
        AND NOT a.attisdropped
      """
    ).decode("type", as: String.self)
    let sampled = try await database.connection.query(
      """
      SELECT to_regtype(type)::text AS type FROM unnest(\(Self.samples.map(\.type))::text[]) AS type
      WHERE to_regtype(type) IS NOT NULL
      """
    ).decode("type", as: String.self)

    #expect(used.count > 6)
    #expect(Set(used).subtracting(sampled) == [])
  }
}
