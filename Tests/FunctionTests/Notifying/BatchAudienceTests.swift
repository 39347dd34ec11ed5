import FunctionKit
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import StatusChanged

/// How many people a batch may have.
@Suite(.heavy)
struct BatchAudienceTests {
  /// Hands status changes of one feedback with 30 voters and a submitter to the store, as one batch.
  ///
  /// - Returns: how many people each event concerns, and how many records there are afterwards.
  private func batch(of count: Int, chunk: Int) async throws -> (people: [Int], records: Int) {
    let demo = try await Demo()
    try await demo.connection.script(
      """
      DELETE FROM votes;
      INSERT INTO users (id, email, name, is_email_verified)
      SELECT gen_random_uuid(), 'v' || i || '@example.com', 'V' || i, true FROM generate_series(1, 30) i;
      INSERT INTO votes (user_id, user_email, feedback_id)
      SELECT 'sdk-' || i, 'v' || i || '@example.com', '\(RowEvent.feedback)' FROM generate_series(1, 30) i;
      """)
    let store = demo.store(chunk: chunk)
    let requests = try (0..<count).map { index in
      func row(_ status: String, _ minute: Int) -> String {
        #"{"id":"\#(RowEvent.feedback)","status":"\#(status)","updated_at":"2030-01-01T10:\#(minute + 10):00Z"}"#
      }
      let document = RowEvent.event(
        "UPDATE", "feedbacks", record: row("approved", index + 1), oldRecord: row("pending", index), id: "\(index)",
        source: "/db")
      let envelope = try Envelope(RawJSON(validating: Array(document.utf8)[...]))
      let event = Event(envelope: envelope, data: try StatusChanged.payload(envelope.data))
      return try StatusChanged(store: store).request(
        event, Context(function: StatusChanged.name, now: Demo.now, log: Log { _ in }))
    }
    let results = try await store.notify(requests)
    return (
      results.map { $0.counts.values.reduce(0, +) }, try await demo.number("SELECT count(*) FROM handled_events")
    )
  }

  @Test func fewPeopleAreToldTogether() async throws {
    let batch = try await batch(of: 3, chunk: 320)
    #expect(batch.people == [31, 31, 31])
    // Each event has one for itself, and one for the change of its row.
    #expect(batch.records == 6)
  }

  @Test(arguments: [("each has more", 3, 310), ("they have more together", 11, 320)])
  func eventsThatHaveMoreAreHandledAlone(_ name: String, count: Int, chunk: Int) async throws {
    let batch = try await batch(of: count, chunk: chunk)
    #expect(batch.people == [])
    #expect(batch.records == 0)
  }
}
