import FoundationEssentials
import Postgres
import RunnerTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// A database of the version that called a partition a lane, with the triggers of two bundles.
@Suite(.heavy)
struct FormerColumnNamesTests {
  private static let f =
    #""f": {"key": "id", "triggers": [{"table": "t", "events": ["INSERT", "UPDATE", "DELETE"]}, {"notify": "t"}]}"#
  /// As the other bundle writes it: its own names, too, are those that went.
  private static let g = #"""
    "g": {"key": "lane", "triggers": [
      {"table": "u", "events": ["INSERT", "DELETE"], "where": {
        "note": "a\\b'(SELECT runner.lane('x'), INSERT INTO runner.events\n    (lane, id, \""}},
      {"table": "p", "events": ["INSERT", "UPDATE"]}]}
    """#
  private static let other = #""bundle": "other","#
  /// A row of `u` that the filter takes; the number is its own.
  private static let note = #"E'a\\b''(SELECT runner.lane(''x''), INSERT INTO runner.events\n    (lane, id, "'"#

  /// With events in all tables, written by that version.
  private func database() async throws -> (url: String, connection: Connection) {
    let url = try await TemporaryPostgres.database()
    let connection = Connection(url: url, applicationName: "test", statementTimeout: .seconds(120))
    let tables = FileManager.default.contents(atPath: "\(Schema.project)/Tests/CaptureTests/Databases/lanes.sql")
    try await connection.script(Migrator.beginning)
    try await connection.script(String(decoding: try #require(tables), as: UTF8.self))
    try await connection.script(
      """
      INSERT INTO t SELECT i, 'a' FROM generate_series(1, 20) AS i; UPDATE t SET v = 'b'; DELETE FROM t WHERE id = 20;
      INSERT INTO u VALUES (1, 'k', \(Self.note)), (2, 'k', 'another');
      INSERT INTO p SELECT i, 'k' FROM generate_series(1, 5) AS i;
      SELECT runner.enqueue('f', 'k', 'e', '/s', 't', '{}');
      WITH gone AS (DELETE FROM runner.events WHERE record ->> 'id' = '3' RETURNING *)
        INSERT INTO runner.retries SELECT *, 1, 0, now(), 'X', 'x' FROM gone;
      WITH gone AS (DELETE FROM runner.events WHERE record ->> 'id' = '4' RETURNING *)
        INSERT INTO runner.dead_letters SELECT *, 8, 0, 'X', 'x' FROM gone;
      INSERT INTO runner.history (ended_at, lane, id, function, key, kind, at, attempt, code, duration_us)
        SELECT now(), lane, id, function, key, 'INSERT public.t', at, 0, 'X', 1 FROM runner.retries;
      SELECT runner.rotate(7, 24);
      INSERT INTO runner.payloads SELECT now(), e.* FROM runner.events AS e WHERE record ->> 'id' = '5';
      UPDATE runner.leases SET epoch = 7;
      """)
    return (url, connection)
  }

  private func rows(_ connection: Connection, by column: String) async throws -> [String] {
    let tables = ["events", "retries", "dead_letters", "history", "payloads"].map {
      "SELECT '\($0) ' || (to_jsonb(e) - '\(column)' - 'noted_at' || jsonb_build_object('place', \(column)))::text AS line FROM runner.\($0) AS e"
    }
    let leases = "SELECT concat_ws(' ', 'lease', grp, \(column), epoch) FROM runner.leases"
    return try await connection.query(
      "\(unescaped: (tables + [leases]).joined(separator: " UNION ALL ")) ORDER BY 1"
    ).decode("line")
  }

  @Test func everythingThatWaitsStaysUnderTheNewNames() async throws {
    let connection = try await database().connection
    let before = try await rows(connection, by: "lane")

    let report = try await Migrator(database: connection).migrate(CapturingDatabase.manifest(Self.f))

    #expect(report.migrations.prefix(2) == ["runner/0005_partitions", "runner/0006_queue"])
    #expect(before.count > 60)
    #expect(try await rows(connection, by: "partition") == before)
    let left = try await connection.query(
      """
      SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'runner'::regnamespace AND relname ~ 'lane'
      UNION ALL SELECT attname FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
        WHERE c.relnamespace = 'runner'::regnamespace AND c.relkind IN ('r', 'p')
          AND a.attname IN ('lane', 'rebased') AND NOT a.attisdropped
      UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'runner'::regnamespace
        AND (proname ~ '^(lane|rings?)$' OR prosrc ~ '\\mlanes?\\M' AND prorettype <> 'trigger'::regtype)
      """
    ).decode("name", as: String.self)
    #expect(left.isEmpty)
    #expect(try await connection.query("SELECT 1 FROM runner.hold(gen_random_uuid(), 1, 'n', '1 min')").count == 16)
  }

  /// The other bundle's triggers, too, from the moment of the migration on and before its own.
  @Test func noWriterFailsAndNoEventIsLost() async throws {
    let (url, connection) = try await database()
    try await connection.script("DELETE FROM runner.events")
    let isMigrated = Flag()
    let written = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<4 {
        group.addTask {
          let writer = Connection(url: url, applicationName: "writer", statementTimeout: .seconds(120))
          var count = 0
          while !isMigrated.isSet || count < 10 {
            let id = 1_000 + count * 4 + number
            try await writer.script(
              "INSERT INTO t VALUES (\(id), 'w'); INSERT INTO u VALUES (\(id), 'k\(number)', \(Self.note))")
            try await writer.script("INSERT INTO p VALUES (\(id), 'k\(number)')")
            count += 1
          }
          return count
        }
      }
      defer { isMigrated.set() }
      _ = try await Migrator(database: connection).migrate(CapturingDatabase.manifest(Self.f))
      isMigrated.set()
      return try await group.reduce(0, +)
    }

    let events = try await connection.query(
      "SELECT table_name, count(*) AS count FROM runner.events GROUP BY 1 ORDER BY 1")
    #expect(try events.decode("table_name") == ["p1", "t", "u"])
    #expect(try events.decode("count") == [written, written, written])
    let disordered = try await connection.query(
      """
      SELECT 1 FROM (
        SELECT (record ->> 'id')::int AS number, lag((record ->> 'id')::int) OVER w AS before,
          partition, lag(partition) OVER w AS place
        FROM runner.events WHERE table_name = 'u' WINDOW w AS (PARTITION BY key ORDER BY id)
      ) AS e WHERE before > number OR place <> partition
      """)
    #expect(disordered.isEmpty)
  }

  @Test func theOtherBundleMigratesLaterAndOnce() async throws {
    let connection = try await database().connection
    let (mine, others) = (
      try CapturingDatabase.manifest(Self.f), try CapturingDatabase.manifest(Self.g, Self.other)
    )
    let migrator = Migrator(database: connection)
    _ = try await migrator.migrate(mine)
    let places = ["runner_insert_other on public.p", "runner_update_other on public.p"]
    let more = ["runner_delete_other on public.u", "runner_insert_other on public.u"]

    let report = try await migrator.migrate(others)

    #expect(report.triggers == (places + more).map { "renewed trigger \($0)" } && report.migrations.isEmpty)
    #expect(try await migrator.migrate(others).triggers.isEmpty)
    #expect(try await migrator.migrate(mine).triggers.isEmpty)
    try await connection.script(
      "DELETE FROM runner.events; INSERT INTO u VALUES (3, 'k', \(Self.note)), (4, 'k', 'x'); UPDATE p SET lane = 'l'")
    let seen = try await connection.query(
      "SELECT table_name || ' ' || key AS said, count(*) AS count FROM runner.events GROUP BY 1 ORDER BY 1")
    #expect(try seen.decode("said") == ["p l", "u k"])
    #expect(try seen.decode("count") == [5, 1])
  }
}

/// Tells writers to stop.
private final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}
