import Postgres
import RunnerTestSupport
import TestSupport
import Testing

/// A role that may write a captured table needs no rights on the runner's tables, and gets none.
@Suite(.heavy)
struct CaptureRightsTests {
  /// Does `work` with a role that may do everything with `t` and nothing else.
  private func asApp(_ work: (CapturingDatabase) async throws -> Void) async throws {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE bell (id int)",
      functions: CapturingDatabase.everything + #", "g": {"triggers": [{"notify": "bell"}]}"#)
    // Roles belong to the server: one for each database.
    let role = "app_\(try await database.connection.query("SELECT current_database() AS d").only()["d"] ?? "")"
    try await database.connection.script(
      "CREATE ROLE \(role); GRANT USAGE ON SCHEMA public TO \(role); GRANT ALL ON t, bell TO \(role); SET ROLE \(role)")
    try await work(database)
  }

  @Test func itsChangesAreCaptured() async throws {
    try await asApp { database in
      try await database.connection.script(
        "INSERT INTO t VALUES (1, 'a'); UPDATE t SET v = 'b'; DELETE FROM t; INSERT INTO bell VALUES (1)")
      try await database.connection.script("RESET ROLE")
      #expect(try await database.events() == ["DELETE b>-", "INSERT ->a", "UPDATE a>b"])
    }
  }

  @Test(arguments: [
    "SELECT * FROM runner.events", "DELETE FROM runner.events", "SELECT runner.next_id(1::smallint)",
    "SELECT runner.enqueue('f', 'k', 'i', 's', 't', '{}')", "UPDATE runner.leases SET owner = NULL",
    "CREATE TABLE pg_temp.x (); CREATE TRIGGER x AFTER INSERT ON pg_temp.x EXECUTE FUNCTION runner.notify_trigger('f')",
  ])
  func itCannotReachTheRunnersOwn(_ statement: String) async throws {
    try await asApp { database in
      let error = await #expect(throws: PostgresError.self) { try await database.connection.script(statement) }
      #expect(error?.sqlState == "42501")
    }
  }

  /// The triggers do not call functions that the role puts before everything else.
  @Test func itsOwnFunctionsAreNotCalledWithTheTriggersRights() async throws {
    try await asApp { database in
      try await database.connection.script(
        """
        CREATE FUNCTION pg_temp.to_jsonb(anyelement) RETURNS jsonb LANGUAGE sql AS $$ SELECT '"forged"'::jsonb $$;
        CREATE TEMP TABLE events (LIKE t);
        SET search_path = pg_temp, public, pg_catalog;
        INSERT INTO t VALUES (1, 'a');
        RESET search_path; RESET ROLE;
        """)
      #expect(try await database.events() == ["INSERT ->a"])
    }
  }
}
