import FunctionKit
import Postgres
import StoreLive
import TestSupport
import Testing

@testable import CommentAdded
@testable import FeedbackCreated
@testable import StatusChanged
@testable import VoteCast

/// Events that are refused, each with a sentence that names the field; no database is asked.
@Suite(.heavy)
struct BadEventTests {
  private let store = NotificationStore(
    Connection(url: "postgresql:///nowhere?host=/nonexistent", applicationName: "test"))

  private func refusal<F: Function>(of document: String, by function: F) async throws -> String
  where F.Output == RawJSON {
    let error = await #expect(throws: FunctionError.self) {
      let envelope = try Envelope(RawJSON(validating: Array(document.utf8)[...]))
      let event = Event(envelope: envelope, data: try F.payload(envelope.data))
      return try await function.handle(event, Context(function: F.name, log: Log { _ in }))
    }
    #expect(error?.code == .invalidEvent)
    return error?.message ?? ""
  }

  @Test(arguments: [
    (#"{"id":"\#(RowEvent.comment)"}"#, "record.feedback_id is missing."),
    (#"{"feedback_id":"\#(RowEvent.feedback)"}"#, "record.id is missing."),
    (#"{"id":"\#(RowEvent.comment)","feedback_id":7}"#, "record.feedback_id must be"),
    (#"{"id":"\#(RowEvent.comment)","feedback_id":null}"#, "record.feedback_id must be"),
    (#"{"id":"x","feedback_id":"\#(RowEvent.feedback)"}"#, "record.id has an unusable value."),
    ("null", "record is missing."), ("[]", "record must be an object."), ("\"row\"", "record must be an object."),
  ])
  func aRecordMustHaveItsFields(record: String, sentence: String) async throws {
    let event = RowEvent.event("INSERT", "comments", record: record)

    let message = try await refusal(of: event, by: CommentAdded(store: store))

    #expect(message.hasPrefix(sentence), "\(message)")
  }

  @Test(arguments: [
    ("INSERT", "votes", "table must be \"comments\"."), ("UPDATE", "comments", "type must be \"INSERT\"."),
    ("DELETE", "comments", "type must be \"INSERT\"."), ("TRUNCATE", "comments", "type has an unusable value."),
  ])
  func onlyItsOwnRowsAreTaken(type: String, table: String, sentence: String) async throws {
    let record = #"{"id":"\#(RowEvent.comment)","feedback_id":"\#(RowEvent.feedback)"}"#

    let message = try await refusal(
      of: RowEvent.event(type, table, record: record), by: CommentAdded(store: store))

    #expect(message == sentence)
  }

  @Test func aVoteNeedsItsFeedback() async throws {
    let event = RowEvent.event("INSERT", "votes", record: #"{"id":"\#(RowEvent.vote)"}"#)

    #expect(try await refusal(of: event, by: VoteCast(store: store)) == "record.feedback_id is missing.")
  }

  @Test func anInsertionIsNoChangeOfStatus() async throws {
    let event = RowEvent.event("INSERT", "feedbacks", record: #"{"id":"\#(RowEvent.feedback)","status":"pending"}"#)

    #expect(try await refusal(of: event, by: StatusChanged(store: store)) == "type must be \"UPDATE\".")
  }

  @Test(arguments: [
    ("null", "old_record is missing."), (#"{"id":"\#(RowEvent.feedback)"}"#, "old_record.status is missing."),
    (#"{"id":"\#(RowEvent.feedback)","status":1}"#, "old_record.status must be"),
  ])
  func aChangeOfStatusNeedsBothStatuses(old: String, sentence: String) async throws {
    let event = RowEvent.event(
      "UPDATE", "feedbacks", record: #"{"id":"\#(RowEvent.feedback)","status":"approved"}"#, oldRecord: old)

    let message = try await refusal(of: event, by: StatusChanged(store: store))

    #expect(message.hasPrefix(sentence), "\(message)")
  }

  @Test(arguments: ["{}", "[]", "7", "null", #"{"type":"INSERT"}"#])
  func whatIsNoRowChangeIsRefused(document: String) async throws {
    _ = try await refusal(of: document, by: FeedbackCreated(store: store))
  }
}

@Suite(.heavy)
struct DatabaseTroubleTests {
  private func code(of url: String, id: String = "e1") async throws -> FunctionError.Code? {
    let store = NotificationStore(Connection(url: url, applicationName: "test"))
    let envelope = try Envelope(RawJSON(validating: Array(RowEvent.commentAdded(id).utf8)[...]))
    let event = Event(envelope: envelope, data: try CommentAdded.payload(envelope.data))
    let error = await #expect(throws: FunctionError.self) {
      try await CommentAdded(store: store).handle(event, Context(function: "comment-added", log: Log { _ in }))
    }
    return error?.code
  }

  @Test func aDatabaseThatIsAwayIsWorthAnotherTry() async throws {
    #expect(try await code(of: "postgresql:///nowhere?host=/nonexistent") == .databaseAway)
  }

  @Test func aDatabaseWithoutTablesIsAMistakeInTheConfiguration() async throws {
    let demo = try await Demo()
    try await demo.connection.script("DROP TABLE handled_events")

    #expect(try await code(of: demo.url) == .misconfigured)
  }

  @Test func anAddressThatCannotBeReadIsAMistakeInTheConfiguration() async throws {
    #expect(try await code(of: "postgresql://[") == .misconfigured)
  }

  @Test func aMissingAddressIsNamed() {
    let error = #expect(throws: FunctionError.self) {
      try CommentAdded.live(Environment([:], workingDirectory: "/"))
    }

    #expect(error?.code == .misconfigured)
    #expect(error?.message.contains("DATABASE_URL") == true)
  }

  @Test func aNulInTheEventIsTheEventsFault() async throws {
    #expect(try await code(of: try await Demo().url, id: #"a\u0000b"#) == .invalidEvent)
  }

  @Test func aLostConnectionIsUnavailableAndTheNextEventGoesThrough() async throws {
    let demo = try await Demo()
    let function = CommentAdded(store: demo.store())
    try await demo.connection.script(
      """
      CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
      CREATE TRIGGER cut AFTER INSERT ON decisions EXECUTE FUNCTION cut();
      """)
    let error = await #expect(throws: FunctionError.self) {
      try await demo.run(function, on: RowEvent.commentAdded())
    }
    #expect(error?.code == .unavailable)
    try await demo.connection.script("DROP TRIGGER cut ON decisions")

    let answer = try await demo.run(function, on: RowEvent.commentAdded())

    #expect(answer.result.notified == 3)
  }
}
