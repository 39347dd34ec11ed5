import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport
import Testing

@testable import StatusChanged
@testable import StoreLive

/// What a batch reads of a table that has grown since the plan was made.
@Suite(.makesDatabases)
struct BatchPlanTests {
  /// Records results, and returns how many records were read for it.
  private func finish(_ ids: Range<Int>, _ connection: Connection) async throws -> Int {
    let events = try ids.map(EventContext.statusChanged)
    let finish = SQL.finish(events.map { NotificationResult(of: $0) }, of: events, [:])
    return try await connection.transaction { transaction in
      _ = try await transaction.query(finish)
      let read = try await transaction.query(
        "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'handled_events'")
      return try read.only().decode("rows")
    }
  }

  @Test func theResultsOfABatchDoNotReadOtherRecords() async throws {
    let demo = try await Demo()
    let connection = Connection(
      url: demo.url, applicationName: "function",
      parameters: [("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off")])
    func insert(_ ids: Range<Int>) async throws {
      _ = try await connection.query(
        """
        INSERT INTO handled_events (function, source, event_id, created_at)
        SELECT \(StatusChanged.name), '/db', i::text, now() FROM unnest(\(Array(ids))) i
        """)
    }
    try await connection.script("ALTER TABLE handled_events SET (autovacuum_enabled = false)")
    try await connection.script("VACUUM ANALYZE handled_events")
    try await insert(0..<200)
    _ = try await finish(0..<64, connection)
    try await insert(200..<5_000)

    let read = try await finish(1_000..<1_064, connection)

    #expect(read <= 2 * 64)
    #expect(try await demo.number("SELECT count(*) FROM handled_events WHERE result IS NOT NULL") == 128)
  }
}

extension EventContext {
  /// An event of the function `status-changed`, without a row.
  static func statusChanged(_ id: Int) throws -> EventContext {
    let document = RowEvent.event("UPDATE", "feedbacks", record: "{}", id: "\(id)", source: "/db")
    let envelope = try Envelope(RawJSON(validating: Array(document.utf8)[...]))
    return EventContext(
      Event(envelope: envelope, data: envelope.data),
      Context(function: StatusChanged.name, now: Demo.now, log: Log { _ in }))
  }
}
