import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// Rows of captured tables that make no events, and what is said of them.
@Suite(.heavy)
struct CaptureGapsTests {
  @Test func childrenByInheritanceAreNamedAndPartitionsAreNot() async throws {
    let database = try await CapturingDatabase(
      tables: """
        CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE child () INHERITS (t);
        CREATE TABLE p (id int PRIMARY KEY) PARTITION BY LIST (id); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
        """, functions: "")
    let functions = CapturingDatabase.everything + #", "g": {"triggers": [{"table": "p", "events": ["INSERT"]}]}"#

    let notes = try await database.report(functions).notes

    #expect(notes == ["child inherits from public.t: rows that are written there directly make no events of public.t."])
    try await database.connection.script("INSERT INTO child VALUES (1, 'a')")
    #expect(try await database.events().isEmpty)
    try await database.connection.script("UPDATE t SET v = 'b'; DELETE FROM t")
    #expect(try await database.events() == ["DELETE b>-", "UPDATE a>b"], "through the parent they are events")
  }

  @Test(arguments: ["t", "n"]) func aSubscriptionThatWritesToACapturedTableIsNamed(_ table: String) async throws {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE n (id int); CREATE TABLE other (id int)", functions: ""
    )
    let functions = CapturingDatabase.everything + #", "g": {"triggers": [{"notify": "n"}]}"#
    // As one that is not connected: the rows of the catalog are what counts.
    try await database.connection.script(
      """
      SET allow_system_table_mods = on;
      INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate)
        VALUES (1, '\(table)'::regclass, 'r'), (1, 'other'::regclass, 'r');
      """)

    let notes = try await database.report(functions).notes

    #expect(
      notes == ["A subscription writes to public.\(table): rows that come by logical replication make no events."])
  }

  @Test func whatPassesByTheTriggersMakesNoEvents() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY, v text)")

    try await database.connection.script(
      """
      SET session_replication_role = replica; INSERT INTO t VALUES (1, 'a'); SET session_replication_role = origin;
      TRUNCATE t;
      """)

    #expect(try await database.events().isEmpty)
  }
}
