import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Capture

/// Another number of partitions, in a database where events wait.
@Suite(.heavy)
struct PartitionNumberTests {
  /// 400 events of 23 keys, 40 without a key and one that brings its id; some have failed.
  private func database() async throws -> CapturingDatabase {
    let database = try await CapturingDatabase(
      tables: "CREATE TABLE t (n int PRIMARY KEY, k text); CREATE TABLE u (n int PRIMARY KEY)",
      functions: #"""
        "f": {"key": "k", "triggers": [{"table": "t", "events": ["INSERT"]}]},
        "g": {"triggers": [{"table": "u", "events": ["INSERT"]}]}
        """#)
    try await database.connection.script(
      """
      INSERT INTO t SELECT n, 'k' || n % 23 FROM generate_series(1, 400) AS n;
      INSERT INTO u SELECT n FROM generate_series(1, 40) AS n;
      SELECT runner.enqueue('f', 'k1', 'its own', '/s', 't', '{}');
      WITH gone AS (DELETE FROM runner.events WHERE record ->> 'n' IN ('24', '30', '31') RETURNING *)
        INSERT INTO runner.retries SELECT *, 1, 0, now(), 'X', 'x' FROM gone;
      WITH gone AS (DELETE FROM runner.events WHERE record ->> 'n' IN ('25', '32') RETURNING *)
        INSERT INTO runner.dead_letters SELECT *, 8, 0, 'X', 'x' FROM gone;
      INSERT INTO runner.history (ended_at, partition, id, function, key, kind, at, attempt, code, duration_us)
        SELECT now(), partition, id, function, key, 'INSERT public.t', at, 0, 'X', 1 FROM runner.retries;
      INSERT INTO runner.leases (grp, partition, epoch) SELECT 'other', n, 3 FROM generate_series(0, 15) AS n;
      """)
    return database
  }

  /// Each event's id and what it is, in the order of the ids within its key.
  private static let waiting: SQL = """
    SELECT concat_ws(' ', place, coalesce(event_id, partition || '.' || id), function, key, record) AS line FROM (
      SELECT 'events' AS place, partition, id, event_id, function, key, record FROM runner.events
      UNION ALL SELECT 'retries', partition, id, event_id, function, key, record FROM runner.retries
      UNION ALL SELECT 'dead', partition, id, event_id, function, key, record FROM runner.dead_letters
      UNION ALL SELECT 'history', partition, id, event_id, function, key, NULL FROM runner.history
    ) AS e
    """

  private func lines(_ database: CapturingDatabase, _ order: SQL) async throws -> [String] {
    try await database.connection.query("\(Self.waiting) \(order)").decode("line")
  }

  private func change(_ database: CapturingDatabase, to number: Int) async throws {
    try await database.connection.script("SELECT runner.set_partitions(\(number))")
  }

  @Test(arguments: [[64], [8], [1], [256, 2, 64], [64, 8, 16]])
  func everyEventKeepsItsIDAndItsPlaceInItsKey(numbers: [Int]) async throws {
    let database = try await database()
    let (byID, byKey): (SQL, SQL) = ("ORDER BY 1", "WHERE key IS NOT NULL ORDER BY function, key, id, place")
    let (all, ordered) = (try await lines(database, byID), try await lines(database, byKey))

    for number in numbers { try await change(database, to: number) }

    #expect(all.count == 447)
    #expect(try await lines(database, byID) == all)
    #expect(try await lines(database, byKey) == ordered)
    let misplaced = try await database.connection.query(
      """
      SELECT FROM (SELECT partition, function, key FROM runner.events UNION ALL
        SELECT partition, function, key FROM runner.retries) AS e
      WHERE partition >= runner.partitions() OR partition <> runner.partition(function, key)
      """)
    #expect(misplaced.isEmpty)
    let leases = try await database.connection.query(
      "SELECT count(*) AS n FROM runner.leases GROUP BY grp ORDER BY grp"
    ).decode("n", as: Int.self)
    #expect(leases == [numbers[numbers.count - 1], numbers[numbers.count - 1]])
  }

  /// Events that have ended keep their place, which is their id, in the history and where whole events are kept.
  @Test func anEventThatHasEndedIsFoundByItsIDAndNoOtherGetsIt() async throws {
    let database = try await database()
    try await database.connection.script(
      """
      WITH gone AS (DELETE FROM runner.events WHERE record ->> 'n' < '3' RETURNING *), kept AS (
        INSERT INTO runner.payloads SELECT now(), * FROM gone
      )
      INSERT INTO runner.history (ended_at, partition, id, function, key, kind, at, attempt, code, duration_us)
        SELECT now(), partition, id, function, key, 'INSERT public.t', at, 0, 'OK', 1 FROM gone;
      """)
    let ended: SQL = """
      SELECT concat_ws(' ', p.partition || '.' || p.id, p.event_id, p.function, p.record) AS line
      FROM runner.payloads AS p JOIN runner.history AS h USING (partition, id, function) WHERE h.code = 'OK' ORDER BY 1
      """
    let before = try await database.connection.query(ended).decode("line", as: String.self)

    for number in [2, 256, 16] {
      try await change(database, to: number)
      try await database.connection.script(
        "INSERT INTO t SELECT 1000 + \(number) * 100 + n, 'k' || n % 23 FROM generate_series(1, 90) AS n")
    }

    #expect(before.count > 100)
    #expect(try await database.connection.query(ended).decode("line") == before)
    let taken = try await database.connection.query(
      "SELECT FROM runner.payloads AS p JOIN runner.events AS e USING (partition, id)")
    #expect(taken.isEmpty)
  }

  @Test func laterEventsComeAfterThoseThatHaveMoved() async throws {
    let database = try await database()
    for number in [64, 8, 128] {
      try await change(database, to: number)
      try await database.connection.script(
        "INSERT INTO t SELECT 1000 + \(number) * 100 + n, 'k' || n % 23 FROM generate_series(1, 50) AS n")
    }
    let rows = try await database.connection.query(
      """
      SELECT FROM (
        SELECT event_id, lag(event_id) OVER w AS other, partition <> lag(partition) OVER w AS is_apart, key
        FROM runner.events WHERE function = 'f' WINDOW w AS (PARTITION BY key ORDER BY id)
      ) AS e WHERE is_apart
      """)
    #expect(rows.isEmpty)
    let newest = try await database.connection.query(
      """
      SELECT FROM (SELECT (record ->> 'n')::int AS n, first_value((record ->> 'n')::int) OVER w AS last FROM runner.events
        WHERE record IS NOT NULL AND function = 'f' WINDOW w AS (PARTITION BY key ORDER BY id DESC)) AS e
      WHERE last < 13000
      """)
    #expect(newest.isEmpty)
  }

  @Test func aRunnerThatHeldPartitionsSettlesNothingAndLooksAgain() async throws {
    let database = try await database()
    let runner = Connection(url: database.url, applicationName: "runner")
    try await runner.listen("runner_control")
    let hold: SQL = """
      SELECT partition, epoch FROM runner.hold('\(unescaped: Self.owner)', 1, 'n', '1 min', '', '{f,g}')
      """
    let held = try await runner.query(hold)
    let epochs: [Int] = try held.decode("epoch")
    let fence: SQL = """
      SELECT runner.fence('\(unescaped: Self.owner)', \(try held.decode("partition", as: Int.self))::smallint[],
        \(epochs)::bigint[])
      """
    _ = try await runner.query(fence)

    try await change(database, to: 32)

    let refusal = await #expect(throws: PostgresError.self) { _ = try await runner.query(fence) }
    #expect(refusal?.sqlState == "RU001")
    #expect(try await runner.notifications(waitingUpTo: .seconds(60)).map(\.payload) == ["partitions"])
    let again = try await runner.query(hold)
    #expect(again.count == 32)
    #expect(try #require(again.decode("epoch", as: Int.self).min()) > #require(epochs.max()))
    // They are its own again, but what it ends may have begun before.
    let late = await #expect(throws: PostgresError.self) { _ = try await runner.query(fence) }
    #expect(late?.sqlState == "RU001")
  }

  private static let owner = "a0000000-0000-4000-8000-000000000001"

  @Test(arguments: [-1, 0, 3, 24, 257, 512]) func onlyPowersOfTwoUpTo256AreTaken(number: Int) async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY, v text)")

    let refusal = await #expect(throws: PostgresError.self) { try await change(database, to: number) }

    #expect(refusal?.sqlState == "22023")
    #expect(try await PartitionNumber(of: database.connection).current() == 16)
  }

  @Test func itIsSaidWhenRunnersGetNothing() async throws {
    let database = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY, v text)")
    let number = PartitionNumber(of: database.connection)
    try await change(database, to: 2)
    try await database.connection.script(
      """
      INSERT INTO runner.runners SELECT gen_random_uuid(), n, 'n', now() + interval '1 hour', '', '{f}'
      FROM generate_series(1, 2) AS n
      """)

    #expect(try await number.shortage(["f"]) == nil)
    #expect(try await number.shortage(["g"], joining: 1) == nil)
    #expect(
      try await number.shortage(["f"], joining: 1)
        == "3 runners share 2 partitions, so 1 of them gets no events: runner migrate --partitions 4 makes more.")
  }

  @Test func migratingChangesTheNumberAndKeepsIt() async throws {
    let database = try await database()
    let manifest = try CapturingDatabase.manifest(
      #""f": {"key": "k", "triggers": [{"table": "t", "events": ["INSERT"]}]}"#)
    let migrator = Migrator(database: database.connection)

    #expect(try await migrator.plan(manifest, prunes: false, partitions: 16).isEmpty)
    #expect(
      try await migrator.plan(manifest, prunes: false, partitions: 32).map(\.sql)
        == ["SELECT runner.set_partitions(32);"])
    #expect(try await migrator.migrate(manifest, partitions: 32).partitions == [16, 32])
    #expect(try await migrator.migrate(manifest, partitions: 32).partitions == nil)
    #expect(try await migrator.migrate(manifest).partitions == nil)
    #expect(try await PartitionNumber(of: database.connection).current() == 32)
  }
}
