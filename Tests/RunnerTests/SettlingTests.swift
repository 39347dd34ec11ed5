import Postgres
import TestSupport
import Testing

@testable import Runner

@Suite(.makesDatabases)
struct SettlingTests {
  @Test func rangesHoldAllIDsAndNoOther() {
    let places = [(2, 7), (2, 8), (2, 10), (3, 11), (3, 12), (3, 13)].map { lane, id in
      QueuedEvent.Place(lane: lane, id: id, table: .events)
    }

    #expect(
      IDRange.covering(places) == [
        IDRange(lane: 2, low: 7, high: 8, position: 1), IDRange(lane: 2, low: 10, high: 10, position: 3),
        IDRange(lane: 3, low: 11, high: 13, position: 4),
      ])
    #expect(IDRange.covering([]) == [])
  }

  @Test func whatIsDoneLeavesTheQueueWithItsOwnDurationAndNothingElseDoes() async throws {
    let (store, database) = try await Self.store()
    let lease = try await store.hold().lease
    try await database.script(
      """
      INSERT INTO runner.events (lane, id, function, type, data)
      SELECT lane, id, 'f', 't', '1' FROM generate_series(0, 2) AS lane, generate_series(1, 9) AS id
      """)
    // Out of order, with gaps, and one that is gone already.
    let done: [(lane: Int, id: Int64)] = [(1, 5), (0, 9), (1, 3), (1, 4), (1, 7), (0, 1), (2, 2), (1, 10)]
    let ended = done.map { Self.done(lane: $0.lane, $0.id) }

    _ = try await store.turn(EventStore.Order(lease: lease, ended: ended))
    _ = try await store.turn(EventStore.Order(lease: lease, ended: ended))

    let history = try await database.query(
      "SELECT lane || '.' || id || ' ' || duration_us AS said FROM runner.history ORDER BY lane, id"
    ).decode("said", as: String.self)
    #expect(history == ["0.1 1", "0.9 9", "1.3 103", "1.4 104", "1.5 105", "1.7 107", "2.2 202"])
    let left = try await database.query(
      "SELECT lane || ':' || string_agg(id::text, ',' ORDER BY id) AS said FROM runner.events GROUP BY lane ORDER BY lane"
    ).decode("said", as: String.self)
    #expect(left == ["0:2,3,4,5,6,7,8", "1:1,2,6,8,9", "2:1,3,4,5,6,7,8,9"])
  }

  @Test func aTurnWalksOverNothingThatWasReadAlsoWithAPlanFromWhenTheQueueWasEmpty() async throws {
    let (store, database) = try await Self.store()
    let lease = try await store.hold().lease
    try await database.script("VACUUM ANALYZE runner.events")
    var cursor = LaneCursor()
    let order = { (id: Int64, cursor: LaneCursor) in
      EventStore.Order(lease: lease, ended: [Self.done(lane: 0, id)], cursors: [0: cursor])
    }
    for _ in 1...6 { _ = try await store.turn(order(9_999, cursor)) }
    try await database.script(
      """
      INSERT INTO runner.events (lane, id, function, type, data) SELECT 0, id, 'f', 't', '1' FROM generate_series(1, 5000) AS id
      """)
    cursor.saw([5_000], xmin: 1, xmax: 1)
    let before = try await Self.indexEntriesRead(store, database)

    for id in 2_001...2_003 { _ = try await store.turn(order(Int64(id), cursor)) }

    #expect(try await Self.indexEntriesRead(store, database) - before < 100)
    #expect(try await database.query("SELECT FROM runner.events").count == 4_997)
  }

  private static func done(lane: Int, _ id: Int64) -> EndedAttempt {
    EndedAttempt(
      place: .init(lane: lane, id: id, table: .events), attempt: 0, crashes: 0, microseconds: Int64(lane) * 100 + id)
  }

  private static func indexEntriesRead(_ store: EventStore, _ database: Connection) async throws -> Int {
    _ = try await store.database.query("SELECT pg_stat_force_next_flush()")
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
