import FoundationEssentials
import FunctionKit
import Notifications
import Postgres
import TestSupport
import Testing

@testable import StatusChanged
@testable import StoreLive

/// The rows that a batch reads of a table that has grown since the plan was made.
@Suite(.heavy)
struct BatchPlanTests {
  /// Looks for records, and returns how many were read for it.
  private func look(for ids: Range<Int>, _ connection: Connection) async throws -> Int {
    let events = try ids.map(EventContext.statusChanged)
    return try await rowsRead(of: "handled_events", connection) { transaction in
      _ = try await GatheredQueries.each(events, in: transaction) { try await $1.query($0.looking) }
    }
  }

  private func rowsRead(by query: SQL, of table: String, _ connection: Connection) async throws -> Int {
    try await rowsRead(of: table, connection) { _ = try await $0.query(query) }
  }

  private func rowsRead(
    of table: String, _ connection: Connection, by body: (Transaction) async throws -> Void
  ) async throws -> Int {
    try await connection.transaction { transaction in
      try await body(transaction)
      let read = try await transaction.query(
        "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = \(table)")
      return try read.only().decode("rows")
    }
  }

  /// An owner gets thousands of pushes a day, each about another feedback.
  @Test func theLastPushAboutASubjectIsFoundAmongManyOthers() async throws {
    let demo = try await Demo()
    let connection = self.connection(to: demo)
    let threads: SQL = .threads(
      of: [UUID(uuidString: Person.ada.id) ?? UUID()], in: .feedbackKit, .comments, about: ["idea 7"],
      try .statusChanged(1))
    try await connection.script("ALTER TABLE notifications SET (autovacuum_enabled = false)")
    try await connection.script("VACUUM ANALYZE notifications")
    #expect(try await rowsRead(by: threads, of: "notifications", connection) == 0)
    _ = try await connection.query(
      """
      INSERT INTO notifications (user_id, type, family, family_subject, pushed_at)
      SELECT \(Person.ada.id)::uuid, 'new_comment', 'comments', 'idea ' || n, \(Demo.now)::timestamptz - n * interval '1 s'
      FROM generate_series(1, 3000) n
      """)

    #expect(try await rowsRead(by: threads, of: "notifications", connection) <= 3)
  }

  private func connection(to demo: Demo) -> Connection {
    Connection(
      url: demo.url, applicationName: "function",
      parameters: [("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off")])
  }

  @Test func aBatchReadsNoRecordsOfOthers() async throws {
    let demo = try await Demo()
    let connection = self.connection(to: demo)
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
    #expect(try await look(for: 500..<564, connection) == 0)
    try await insert(200..<5_000)

    #expect(try await look(for: 9_000..<9_064, connection) == 0)
    #expect(try await look(for: 1_000..<1_064, connection) == 64)
  }
}

extension EventContext {
  /// An event of the function `status-changed`.
  static func statusChanged(_ id: Int) throws -> EventContext {
    func row(_ status: String, _ hour: Int) -> String {
      #"{"id":"\#(RowEvent.feedback)","status":"\#(status)","updated_at":"2030-01-\#(10 + id % 20)T\#(hour):00:00Z"}"#
    }
    let document = RowEvent.event(
      "UPDATE", "feedbacks", record: row("approved", 11), oldRecord: row("pending", 10), id: "\(id)", source: "/db")
    let envelope = try Envelope(RawJSON(validating: Array(document.utf8)[...]))
    return EventContext(
      Event(envelope: envelope, data: try StatusChanged.payload(envelope.data)),
      Context(function: StatusChanged.name, now: Demo.now, log: Log { _ in }))
  }
}
