import Postgres
import RunnerTestSupport
import TestSupport
import Testing

/// Triggers run with the rights of their owner and with every setting of the writer.
@Suite(.heavy)
struct CapturePathTests {
  /// Puts functions, operators and types that fail before PostgreSQL's own ones of the same names.
  ///
  /// There are only types for which SQL has no word of its own.
  private static let shadows = """
    CREATE SCHEMA evil;
    DO $$
    DECLARE
      one record;
    BEGIN
      FOR one IN SELECT p.oid, proname, pg_get_function_identity_arguments(p.oid) AS arguments,
          pg_get_function_result(p.oid) AS result
        FROM pg_proc AS p WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind IN ('f', 'w') AND NOT proretset
          AND NOT prorettype = ANY (ARRAY['trigger', 'event_trigger']::regtype[])
      LOOP
        BEGIN
          EXECUTE format('CREATE FUNCTION evil.%I(%s) RETURNS %s LANGUAGE plpgsql AS
            ''BEGIN RAISE EXCEPTION ''''hijacked''''; END''', one.proname, one.arguments, one.result);
        EXCEPTION WHEN OTHERS THEN NULL; -- Those of pseudo-types cannot be made.
        END;
      END LOOP;
      FOR one IN SELECT oprname, nullif(oprleft, 0)::regtype AS l, oprright::regtype AS r, oprresult::regtype AS result
        FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace
      LOOP
        BEGIN
          EXECUTE format('CREATE FUNCTION evil.operator(%s) RETURNS %s LANGUAGE plpgsql AS
            ''BEGIN RAISE EXCEPTION ''''hijacked''''; END''', concat_ws(', ', one.l, one.r), one.result);
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
        BEGIN
          EXECUTE format('CREATE OPERATOR evil.%s (%s FUNCTION = evil.operator, RIGHTARG = %s)',
            one.oprname, 'LEFTARG = ' || one.l || ',', one.r);
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
      END LOOP;
    END $$;
    CREATE FUNCTION evil.jsonb_build_object(text, anyelement) RETURNS jsonb LANGUAGE sql AS 'SELECT NULL::jsonb';
    CREATE DOMAIN evil.jsonb AS int; CREATE DOMAIN evil.regclass AS int; CREATE DOMAIN evil.text AS int;
    CREATE TEMP TABLE events (n int); CREATE TEMP TABLE clock (n int); CREATE TEMP TABLE partition_0 (n int);
    CREATE TEMP TABLE new_rows (n int); CREATE TEMP TABLE old_rows (n int);
    """

  private func database(_ table: String) async throws -> CapturingDatabase {
    let database = try await CapturingDatabase(
      tables: table,
      functions: #"""
        "f": {"key": "id", "triggers": [{"table": "t", "events": ["INSERT", "UPDATE", "DELETE"]}]},
        "g": {"triggers": [{"table": "t", "events": ["UPDATE"], "columns": ["v", "n"]}]}
        """#)
    try await database.connection.script(Self.shadows)
    return database
  }

  private static let columns = "id int PRIMARY KEY, v text, n numeric, a int[]"

  @Test(arguments: [
    "CREATE TABLE t (\(columns))",
    "CREATE TABLE t (\(columns)) PARTITION BY RANGE (id); CREATE TABLE t1 PARTITION OF t DEFAULT",
    "CREATE TABLE t (\(columns), j json)",
  ])
  func nothingThatAWriterPutsBeforePostgresIsUsed(_ table: String) async throws {
    let database = try await database(table)
    let shadows = try await database.connection.query(
      """
      SELECT (SELECT count(*) FROM pg_proc WHERE pronamespace = 'evil'::regnamespace)
        + (SELECT count(*) FROM pg_operator WHERE oprnamespace = 'evil'::regnamespace) AS n
      """
    ).only().decode("n", as: Int.self)
    #expect(shadows > 3_000)

    try await database.connection.script(
      """
      SET search_path = evil, pg_catalog, public; SET app.user_id = 'somebody';
      INSERT INTO public.t VALUES (1, 'a', 1, '{1}'); UPDATE public.t SET v = 'b'; DELETE FROM public.t;
      """)
    try await database.connection.script("RESET search_path")

    #expect(
      try await database.events("function || coalesce(record ->> 'v', '-') || actor") == [
        "DELETE f-somebody", "INSERT fasomebody", "UPDATE fbsomebody", "UPDATE gbsomebody",
      ])
  }

  /// A users' cast is written with a search path of its own, although the type came after `runner migrate`.
  @Test(arguments: [true, false]) func castsOfTheUsersRunWithAPathThatNobodyChose(_ isThere: Bool) async throws {
    let type = """
      CREATE TYPE money2 AS (cents int); CREATE TYPE mood AS ENUM ('sad');
      CREATE FUNCTION money2_text(money2) RETURNS text LANGUAGE plpgsql AS
        'BEGIN RETURN upper(concat(''c'', ($1).cents)) || current_setting(''search_path''); END';
      CREATE FUNCTION mood_json(mood) RETURNS json LANGUAGE plpgsql AS
        'BEGIN RETURN to_json(upper(''good'') || current_setting(''search_path'')); END';
      CREATE CAST (money2 AS text) WITH FUNCTION money2_text; CREATE CAST (mood AS json) WITH FUNCTION mood_json;
      """
    let change = "ALTER TABLE t ADD v mood, ALTER topic TYPE money2 USING NULL"
    let database = try await CapturingDatabase(
      tables: type + "CREATE TABLE t (id int PRIMARY KEY, topic int);" + (isThere ? change : ""),
      functions: #""f": {"key": "topic", "triggers": [{"table": "t", "events": ["INSERT", "UPDATE"]}]}"#)
    try await database.connection.script("INSERT INTO t VALUES (1, NULL); DELETE FROM runner.events")

    try await database.connection.script(
      """
      \(isThere ? "" : change);
      CREATE SCHEMA evil;
      CREATE FUNCTION evil.upper(text) RETURNS text LANGUAGE sql AS $$ SELECT 'hijacked' $$;
      SET search_path = evil, pg_catalog, public;
      INSERT INTO public.t VALUES (2, ROW(5), 'sad'); UPDATE public.t SET id = 3 WHERE id OPERATOR(pg_catalog.=) 2;
      RESET search_path;
      """)

    let said = "C5pg_catalog, pg_temp GOODpg_catalog, pg_temp"
    #expect(try await database.events("key || ' ' || (record ->> 'v')") == ["INSERT \(said)", "UPDATE \(said)"])
  }

  /// Which columns may be written under the search path of a writer.
  @Test func aColumnIsPlainIfNothingOfTheUsersRunsWhenItIsWritten() async throws {
    let plain = [
      "text", "varchar(9)", "uuid", "jsonb", "numeric", "date", "bytea", "name", "text[]", "int2vector", "a_word",
      "a_word[]", "an_enum", "an_enum[]", "a_word_of_words", "information_schema.sql_identifier",
    ]
    let odd = [
      "regclass", "regtype[]", "a_row", "a_row[]", "a_table", "a_place", "a_place[]", "a_place_of_places", "a_mood",
      "a_mood[]",
      "interval", "interval[]", "a_time", "timestamptz", "information_schema.time_stamp",
    ]
    let columns = (plain + odd).enumerated().map { "c\($0) \($1)" }
    let database = try await CapturingDatabase(
      tables: """
        CREATE DOMAIN a_word AS text; CREATE DOMAIN a_word_of_words AS a_word; CREATE TYPE an_enum AS ENUM ('a');
        CREATE TYPE a_row AS (a int); CREATE TABLE a_table (a int);
        CREATE DOMAIN a_place AS regclass; CREATE DOMAIN a_place_of_places AS a_place;
        CREATE TYPE a_mood AS ENUM ('sad'); CREATE DOMAIN a_time AS interval;
        CREATE FUNCTION said(a_mood) RETURNS json LANGUAGE sql AS 'SELECT to_json(1)';
        CREATE FUNCTION said(interval) RETURNS json LANGUAGE sql AS 'SELECT to_json(1)';
        CREATE CAST (a_mood AS json) WITH FUNCTION said(a_mood);
        CREATE CAST (interval AS json) WITH FUNCTION said(interval);
        CREATE FUNCTION said(timestamptz) RETURNS json LANGUAGE sql AS 'SELECT to_json(1)';
        CREATE CAST (timestamptz AS json) WITH FUNCTION said(timestamptz);
        CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE wide (\(columns.joined(separator: ", ")))
        """)

    let found = try await database.connection.query(
      """
      SELECT attname, runner.is_plain('public.wide', attname) AS is_plain FROM pg_attribute
      WHERE attrelid = 'wide'::regclass AND attnum > 0 ORDER BY attnum
      """
    ).map { try $0.decode("is_plain", as: Bool.self) }
    let tables = try await database.connection.query(
      "SELECT runner.is_plain('public.t') AS plain, runner.is_plain('public.wide') AS odd, runner.is_plain('gone') AS gone"
    ).only()

    #expect(found == plain.map { _ in true } + odd.map { _ in false })
    #expect(try tables.decode("plain", as: Bool.self))
    #expect(try !tables.decode("odd", as: Bool.self) && !tables.decode("gone", as: Bool.self))
  }

  @Test func whatAWriterHasSetStaysSet() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY, v timestamptz)")
    let stamp = "2026-01-02 03:04:05+00"

    try await database.connection.script("SET TIME ZONE 'Asia/Kathmandu'; INSERT INTO t VALUES (1, '\(stamp)')")
    #expect(try await zone(database) == "Asia/Kathmandu")
    let within = try await database.connection.transaction { transaction in
      try await transaction.script(
        "SET LOCAL TIME ZONE -2; UPDATE t SET id = 2; SAVEPOINT s; DELETE FROM t; ROLLBACK TO SAVEPOINT s")
      return try await transaction.query("SELECT current_setting('TimeZone') AS zone").only().decode(
        "zone", as: String.self)
    }
    #expect(within == "<-02>+02")
    #expect(try await zone(database) == "Asia/Kathmandu")
    // A statement that fails behind the trigger.
    _ = try? await database.connection.script(
      "ALTER TABLE runner.events ADD CHECK (partition < 0) NOT VALID; DELETE FROM t")
    #expect(try await zone(database) == "Asia/Kathmandu")

    #expect(
      try await database.events("record ->> 'v'") == [
        "INSERT 2026-01-02T03:04:05+00:00", "UPDATE 2026-01-02T03:04:05+00:00",
      ])
  }

  private func zone(_ database: CapturingDatabase) async throws -> String {
    try await database.connection.query("SELECT current_setting('TimeZone') AS zone").only().decode("zone")
  }

  /// A session that has planned with real time notices.
  @Test func eventsAreStampedByTheClockAsItIs() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id serial PRIMARY KEY)")
    let other = Connection(url: database.url, applicationName: "clock")
    let insert = Array(repeating: "INSERT INTO t DEFAULT VALUES;", count: 8).joined()
    for (change, hours) in [("0", 0), ("5 hours", 5), ("7 hours", 7), ("0", 0)] {
      try await other.script("UPDATE runner.clock SET \"offset\" = '\(change)'")
      try await database.connection.script(insert)
      let said = try await database.events("round(extract(epoch FROM at - clock_timestamp()) / 3600)::text")
      #expect(said == Array(repeating: "INSERT \(hours)", count: 8))
    }
    #expect(try await database.migrate().isEmpty, "the clock's own trigger is left alone")
    try await other.script("UPDATE runner.clock SET \"offset\" = '1 hour'")
    try await database.connection.script(insert)
    #expect(try await database.events("(at > clock_timestamp())::text").allSatisfy { $0 == "INSERT true" })
  }
}
