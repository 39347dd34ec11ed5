import Postgres
import RunnerTestSupport
import TestSupport
import Testing

/// A writer's settings of how values are written change no key, no filter and no body.
@Suite(.heavy)
struct WriterSettingsTests {
  /// Settings, each with a value that changes a text of PostgreSQL's, or might.
  private static let settings = [
    "DateStyle = 'German'", "DateStyle = 'SQL, MDY'", "DateStyle = 'Postgres, DMY'", "IntervalStyle = iso_8601",
    "IntervalStyle = sql_standard", "IntervalStyle = postgres_verbose", "bytea_output = escape",
    "extra_float_digits = -15", "extra_float_digits = 0", "extra_float_digits = 3", "lc_monetary = 'C.UTF-8'",
    "lc_numeric = 'C'", "lc_time = 'C'", "lc_messages = 'C'", "search_path = pg_catalog", "search_path = ''",
    "TimeZone = 'Asia/Kathmandu'", "TimeZone = 'Etc/UTC'", "quote_all_identifiers = on", "xmlbinary = hex",
    "xmloption = document", "standard_conforming_strings = off", "transform_null_equals = on", "array_nulls = off",
  ]

  /// Types whose text depends on one of them, each with a value.
  private static let columns: [(name: String, type: String, value: String)] = [
    ("d", "date", "'2026-11-26'::date"), ("i", "interval", "pg_catalog.make_interval(days => 1, hours => 2)"),
    ("f", "float8", "0.1::float8 OPERATOR(pg_catalog.+) 0.2::float8"), ("r", "real", "1.1::real"),
    ("b", "bytea", "pg_catalog.decode('00ff41', 'hex')"), ("m", "money", "12.5::numeric::money"),
    ("ts", "timestamp", "'2026-11-26 10:00'::timestamp"), ("tz", "timestamptz", "'2026-11-26 10:00+00'::timestamptz"),
    ("dr", "daterange", "pg_catalog.daterange('2026-11-01', '2026-12-01')"),
    ("da", "date[]", "ARRAY['2026-11-26'::date]"),
    ("zr", "tstzrange", "pg_catalog.tstzrange('2026-11-26 10:00+00', NULL)"),
    ("ia", "interval[]", "ARRAY[pg_catalog.make_interval(days => 3)]"), ("p", "point", "pg_catalog.point(0.1, 1.1)"),
    ("c", "regclass", "'public.t'::regclass"), ("ca", "regtype[]", "ARRAY['public.mood'::regtype]"),
    ("dd", "birthday", "'2026-11-26'::date"),
    ("k", "pair", "ROW('2026-11-26'::date, 'public.t'::regclass)::public.pair"),
  ]

  /// A table with the columns that filters name, and one more.
  private func database(_ column: String, _ options: String = "") async throws -> CapturingDatabase {
    let columns = Self.columns(with: column).map { "\($0.name) \($0.type)" }.joined(separator: ", ")
    return try await CapturingDatabase(
      tables: """
        CREATE TYPE mood AS ENUM ('sad'); CREATE DOMAIN birthday AS date; CREATE TYPE pair AS (d date, c regclass);
        CREATE TABLE t (id int, n int, \(columns))\(options)
        """,
      functions: #"""
        "f": {"key": "\#(column)", "triggers": [{"table": "t", "events": ["INSERT", "UPDATE", "DELETE"]}]},
        "g": {"triggers": [{"table": "t", "events": ["INSERT"], "where": {"d": "2026-11-26"}}]},
        "h": {"triggers": [{"table": "t", "events": ["INSERT"], "where": {"b": "\\x00ff41", "i": "1 day 02:00:00"}}]}
        """#)
  }

  private static func columns(with name: String) -> [(name: String, type: String, value: String)] {
    columns.filter { ["d", "i", "b", name].contains($0.name) }
  }

  private static func write(_ column: String, _ settings: [String]) -> String {
    """
    \(settings.map { "SET \($0);" }.joined(separator: " "))
    INSERT INTO public.t VALUES (1, 1, \(columns(with: column).map(\.value).joined(separator: ", ")));
    UPDATE public.t SET n = 2; DELETE FROM public.t;
    RESET ALL;
    """
  }

  private func events(_ database: CapturingDatabase) async throws -> [String] {
    try await database.events("concat_ws(' ', function, key, record, old_record, data)")
  }

  @Test(arguments: columns.map(\.name)) func everyValueHasOneText(_ column: String) async throws {
    let database = try await database(column)
    try await database.connection.script(Self.write(column, []))
    let expected = try await events(database)
    #expect(expected.count == 5, "f hears of all three, and both filters let the row through")

    for settings in Self.settings.map({ [$0] }) + [Self.settings] {
      try await database.connection.script(Self.write(column, settings))
      #expect(try await events(database) == expected, "\(settings)")
    }
  }

  @Test func everyValueInAPartitionHasOneText() async throws {
    let partition = " PARTITION BY LIST (id); CREATE TABLE part PARTITION OF t DEFAULT"
    let database = try await database("zr", partition)
    try await database.connection.script(Self.write("zr", []))
    let expected = try await events(database)
    #expect(expected.count == 5)

    try await database.connection.script(Self.write("zr", Self.settings))
    #expect(try await events(database) == expected)
  }

  @Test func whatAWriterHasSetStaysSet() async throws {
    let database = try await database("d")
    let settings = [
      "DateStyle": "German, DMY", "IntervalStyle": "iso_8601", "bytea_output": "escape", "extra_float_digits": "-1",
      "TimeZone": "Asia/Kathmandu",
    ]
    let set = settings.map { "SET \($0) = '\($1)';" }.joined(separator: " ")

    try await database.connection.script("\(set) INSERT INTO t (id, d) VALUES (1, '2026-11-26')")

    for (name, value) in settings {
      let now = try await database.connection.query("SELECT current_setting(\(name)) AS value").only()
      #expect(now["value"] == value, "\(name)")
    }
  }
}
