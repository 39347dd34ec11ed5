import Postgres
import RunnerTestSupport
import TestSupport
import Testing

@testable import Manifest
@testable import Queue

@Suite(.heavy)
struct SettlingTests {
  @Test func rangesHoldAllIDsAndNoOther() {
    let places = [(2, 7), (2, 8), (2, 10), (3, 11), (3, 12), (3, 13)].map { partition, id in
      QueuedEvent.Place(partition: partition, id: id, table: .events)
    }

    #expect(
      IDRange.covering(places) == [
        IDRange(partition: 2, low: 7, high: 8, position: 1), IDRange(partition: 2, low: 10, high: 10, position: 3),
        IDRange(partition: 3, low: 11, high: 13, position: 4),
      ])
    #expect(IDRange.covering([]) == [])
  }

  @Test func whatIsDoneLeavesTheQueueWithItsOwnDurationAndNothingElseDoes() async throws {
    let (store, database) = try await Self.store()
    let lease = try await store.hold().lease
    try await database.script(
      """
      INSERT INTO runner.events (partition, id, at, function, type, data)
      SELECT partition, id, '2026-01-01', 'f', 't', '1' FROM generate_series(0, 2) AS partition, generate_series(1, 9) AS id
      """)
    // Out of order, with gaps, and one that is gone already.
    let done: [(partition: Int, id: Int64)] = [(1, 5), (0, 9), (1, 3), (1, 4), (1, 7), (0, 1), (2, 2), (1, 10)]
    let ended = done.map { Self.done(partition: $0.partition, $0.id) }

    _ = try await store.poll(PollRequest(lease: lease, session: 1, ended: ended))
    _ = try await store.poll(PollRequest(lease: lease, session: 1, ended: ended))

    let history = try await database.query(
      "SELECT partition || '.' || id || ' ' || duration_us AS said FROM runner.history ORDER BY partition, id"
    ).decode("said", as: String.self)
    #expect(history == ["0.1 1", "0.9 9", "1.3 103", "1.4 104", "1.5 105", "1.7 107", "2.2 202"])
    let left = try await database.query(
      "SELECT partition || ':' || string_agg(id::text, ',' ORDER BY id) AS said FROM runner.events GROUP BY partition ORDER BY partition"
    ).decode("said", as: String.self)
    #expect(left == ["0:2,3,4,5,6,7,8", "1:1,2,6,8,9", "2:1,3,4,5,6,7,8,9"])
  }

  /// A server that was restored from a backup draws ids again.
  @Test func anotherEventThatHasTheIDOfOneThatIsDoneStaysWaiting() async throws {
    let (store, database) = try await Self.store()
    let lease = try await store.hold().lease
    try await database.script(
      """
      INSERT INTO runner.events (partition, id, at, function, type, data) SELECT 1, id, '2026-01-01', 'f', 't', '1'
      FROM generate_series(1, 3) AS id
      """)
    let ended = [
      Self.done(partition: 1, 1), Self.done(partition: 1, 2, writtenAt: "2025-12-31T23:59:59.999999Z"),
      Self.done(partition: 1, 3, writtenAt: "unknown"),
    ]

    // All were read in the first session; it is not said which session settles them.
    _ = try await store.poll(PollRequest(lease: lease, ended: ended))

    #expect(try await database.query("SELECT id FROM runner.events ORDER BY id").decode("id", as: Int.self) == [2, 3])
    #expect(try await database.query("SELECT FROM runner.history").count == 1)
  }

  @Test(arguments: [EndedAttempt.Settlement.done, .deadLetter, .retry(delay: 0)])
  func anotherRetryThatHasTheIDOfOneThatHasEndedStaysWaiting(_ settlement: EndedAttempt.Settlement) async throws {
    let (store, database) = try await Self.store()
    let lease = try await store.hold().lease
    try await database.script(
      """
      INSERT INTO runner.retries (partition, id, at, function, type, data, attempt, crashes, run_at, code, error)
      SELECT 1, id, '2026-01-01', 'f', 't', '1', 1, 0, '2026-01-01', 'FAILED', 'no' FROM generate_series(1, 2) AS id
      """)
    var ended = [Self.done(partition: 1, 1), Self.done(partition: 1, 2, writtenAt: "2025-12-31T23:59:59.999999Z")]
    for index in ended.indices {
      (ended[index].place.table, ended[index].attempt) = (.retries, 1)
      (ended[index].settlement, ended[index].error) = (settlement, "no")
    }

    _ = try await store.poll(PollRequest(lease: lease, ended: ended))

    #expect(try await database.query("SELECT FROM runner.retries WHERE id = 2 AND attempt = 1").count == 1)
    #expect(try await database.query("SELECT FROM runner.retries WHERE id = 1 AND attempt = 1").isEmpty)
    #expect(try await database.query("SELECT id FROM runner.history").decode("id", as: Int.self) == [1])
  }

  @Test func nothingIsSettledInAnotherSessionThanTheOneThatIsMeant() async throws {
    let (store, database) = try await Self.store()
    let lease = try await store.hold().lease
    try await database.script(
      "INSERT INTO runner.events (partition, id, function, type, data) VALUES (1, 1, 'f', 't', '1')")
    let request = PollRequest(lease: lease, session: 1, ended: [Self.done(partition: 1, 1)])
    try await database.endSessions(where: "application_name = 'runner events'")

    let error = await #expect(throws: PostgresError.self) { _ = try await store.poll(request) }

    #expect(error?.code == .otherSession)
    #expect(try await database.query("SELECT FROM runner.events").count == 1)
  }

  @Test func aPollWalksOverNothingThatWasReadEvenWithAnOldPlan() async throws {
    let (store, database) = try await Self.store()
    let lease = try await store.hold().lease
    try await database.script("VACUUM ANALYZE runner.events")
    var cursor = PartitionCursor()
    let request = { (id: Int64, cursor: PartitionCursor) in
      PollRequest(lease: lease, session: 1, ended: [Self.done(partition: 0, id)], cursors: [0: cursor])
    }
    for _ in 1...6 { _ = try await store.poll(request(9_999, cursor)) }
    try await database.script(
      """
      INSERT INTO runner.events (partition, id, at, function, type, data)
      SELECT 0, id, '2026-01-01', 'f', 't', '1' FROM generate_series(1, 5000) AS id
      """)
    cursor.saw([5_000], .init(own: nil, xmin: 1))
    cursor.saw([], .init(own: nil, xmin: 1, oldestAllocator: .max))
    let before = try await Self.indexEntriesRead(store, database)

    for id in 2_001...2_003 { _ = try await store.poll(request(Int64(id), cursor)) }

    #expect(try await Self.indexEntriesRead(store, database) - before < 100)
    #expect(try await database.query("SELECT FROM runner.events").count == 4_997)
  }

  @Test func anAttemptThatDoesNotCountIsTheSameAgain() async throws {
    let (store, database) = try await Self.store()
    let lease = try await store.hold().lease
    try await database.script(
      """
      INSERT INTO runner.events (partition, id, function, type, data)
      VALUES (0, 1, 'f', 't', '1'), (0, 2, 'f', 't', '1')
      """)
    func fail(attempts: [Int], in table: QueuedEvent.Place.Table) async throws -> [String] {
      var ended = attempts.enumerated().map { index, attempt in
        EndedAttempt(
          place: .init(partition: 0, id: Int64(index + 1), table: table), session: 1, attempt: attempt, crashes: 0,
          code: "UNAVAILABLE", exitStatus: 75, microseconds: 1, error: "away", settlement: .retry(delay: 0))
      }
      ended[0].isCounted = false
      _ = try await store.poll(PollRequest(lease: lease, session: 1, ended: ended))
      return try await database.query("SELECT id || ' ' || attempt AS said FROM runner.retries ORDER BY id")
        .decode("said", as: String.self)
    }

    #expect(try await fail(attempts: [0, 0], in: .events) == ["1 0", "2 1"])
    #expect(try await fail(attempts: [0, 1], in: .retries) == ["1 0", "2 2"])
  }

  /// The end of an event that was read in the first session.
  private static func done(partition: Int, _ id: Int64, writtenAt: String = "2026-01-01T00:00:00Z") -> EndedAttempt {
    EndedAttempt(
      place: .init(partition: partition, id: id, table: .events), session: 1,
      line: Array("{\"time\":\"\(writtenAt)\"}\n".utf8),
      attempt: 0, crashes: 0, microseconds: Int64(partition) * 100 + id)
  }

  private static func indexEntriesRead(_ store: EventStore, _ database: Connection) async throws -> Int {
    try await store.database.reportFigures()
    return try await database.query(
      "SELECT sum(idx_tup_read)::bigint AS entries FROM pg_stat_user_indexes WHERE schemaname = 'runner' AND relname = 'events'"
    ).only().decode("entries")
  }

  private static func store() async throws -> (EventStore, Connection) {
    let captured = try await CapturingDatabase(tables: "CREATE TABLE t (id int PRIMARY KEY)")
    let store = EventStore(
      database: EventStore.connection(captured.url), owner: "00000000-0000-4000-8000-000000000001", holder: 1,
      name: "test", leaseSeconds: 60, history: History())
    return (store, captured.connection)
  }
}
