import FunctionKit
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import StatusChanged

/// Which events a batch takes: status changes of one feedback with 30 voters and a submitter.
@Suite(.heavy)
struct BatchAudienceTests {
  private func demo() async throws -> Demo {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      DELETE FROM votes;
      INSERT INTO users (id, email, name, is_email_verified)
      SELECT ('e0000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'v' || i || '@example.com', 'V' || i, true
      FROM generate_series(1, 30) i;
      INSERT INTO votes (user_id, user_email, feedback_id)
      SELECT 'sdk-' || i, 'v' || i || '@example.com', '\(RowEvent.feedback)' FROM generate_series(1, 30) i;
      """)
    return demo
  }

  /// A status change, as a source tells of it.
  private func request(
    _ number: Int, from source: String = "/db", _ store: NotificationStore
  ) throws -> NotificationRequest {
    func row(_ status: String, _ minute: Int) -> String {
      #"{"id":"\#(RowEvent.feedback)","status":"\#(status)","updated_at":"2030-01-01T10:\#(minute + 10):00Z"}"#
    }
    let document = RowEvent.event(
      "UPDATE", "feedbacks", record: row("approved", number + 1), oldRecord: row("pending", number), id: "\(number)",
      source: source)
    let envelope = try Envelope(RawJSON(validating: Array(document.utf8)[...]))
    let event = Event(envelope: envelope, data: try StatusChanged.payload(envelope.data))
    return try StatusChanged(store: store).request(
      event, Context(function: StatusChanged.name, now: Demo.now, log: Log { _ in }))
  }

  /// How many people an event concerns.
  private func people(_ result: NotificationResult) -> Int { result.counts.values.reduce(0, +) }

  @Test func fewPeopleAreToldTogether() async throws {
    let demo = try await demo()
    let store = demo.store(chunk: 320)

    let results = try await store.notify(try (0..<3).map { try request($0, store) })

    #expect(results.map(people) == [31, 31, 31])
    // Each event has one for itself, and one for the change of its row.
    #expect(try await demo.number("SELECT count(*) FROM handled_events") == 6)
    #expect(try await demo.number("SELECT count(DISTINCT xmin::text) FROM decisions") == 1)
  }

  @Test(arguments: [("each has more", 3, 310), ("they have more together", 11, 320)])
  func eventsThatHaveMoreAreHandledAlone(_ name: String, count: Int, chunk: Int) async throws {
    let demo = try await demo()
    let store = demo.store(chunk: chunk)

    let results = try await store.notify(try (0..<count).map { try request($0, store) })

    #expect(results.isEmpty)
    #expect(try await demo.number("SELECT count(*) FROM handled_events") == 0)
  }

  /// The process that began it has ended after a chunk.
  @Test func anEventThatHasBegunIsHandledAloneAndGoesOn() async throws {
    let demo = try await demo()
    let store = demo.store(chunk: 20)
    try await demo.connection.script(
      "ALTER TABLE decisions ADD CONSTRAINT second_chunk CHECK (user_id < 'e0000000-0000-4000-8000-000000000025')")
    await #expect(throws: FunctionError.self) { try await store.notify(try request(1, store)) }
    try await demo.connection.script("ALTER TABLE decisions DROP CONSTRAINT second_chunk")
    let roomy = demo.store(chunk: 320)
    let requests = try (0..<3).map { try request($0, roomy) }

    #expect(try await roomy.notify(requests).isEmpty)
    #expect(try await demo.number("SELECT count(*) FROM decisions") == 20)
    let result = try await roomy.notify(requests[1])
    let rest = try await roomy.notify(requests)

    #expect(people(result) == 31)
    // What has its result is no hindrance.
    #expect(rest.map(people) == [31, 31, 31] && rest[1] == result)
    let complete: SQL = """
      SELECT event_id FROM decisions GROUP BY event_id HAVING count(*) = 31 AND count(DISTINCT user_id) = 31
      """
    #expect(try await demo.number("SELECT count(*) FROM (\(complete)) e") == 3)
    #expect(try await demo.number("SELECT count(*) FROM handled_events WHERE progress IS NOT NULL") == 0)
  }

  @Test func theSameChangeIsToldOnce() async throws {
    let demo = try await demo()
    let store = demo.store(chunk: 320)
    let requests = try [request(0, store), request(0, from: "/http", store), request(1, store)]

    #expect(try await store.notify(requests).isEmpty)
    let first = try await store.notify(requests[0])
    let others = try await store.notify(Array(requests.dropFirst()))

    // The second one takes the result over, in the third one's transaction.
    #expect(others.map(\.event) == ["0", "1"] && others[0] == first)
    #expect(try await demo.number("SELECT count(*) FROM decisions") == 62)
    #expect(try await demo.number("SELECT count(*) FROM handled_events") == 5)
  }
}
