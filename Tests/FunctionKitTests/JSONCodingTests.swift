import FoundationEssentials
import FunctionKit
import Testing

struct JSONCodingTests {
  private struct Record: Decodable {
    struct Inner: Decodable { var feedback_id: UUID, count: Int }
    var record: Inner
    var at: Date?
  }

  private static let id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

  private func decode(_ document: String) throws -> Record {
    try JSONCoding.decode(Record.self, from: RawJSON(validating: Array(document.utf8)[...]))
  }

  @Test func readsTimesAsPostgreSQLWritesThem() throws {
    let record = try decode(
      #"{"record":{"feedback_id":"\#(Self.id)","count":1},"at":"2026-01-02T03:04:05.6+00:00"}"#)

    #expect(record.at == Date(timeIntervalSince1970: 1_767_323_045.6))
  }

  @Test func readsIDsInEitherCase() throws {
    let record = try decode(#"{"record":{"feedback_id":"\#(Self.id.uppercased())","count":1}}"#)

    #expect(record.record.feedback_id == UUID(uuidString: Self.id))
  }

  @Test(arguments: [
    (#"{}"#, "record is missing."),
    (#"{"record":null}"#, "record must be an object, not null."),
    (#"{"record":{"count":1}}"#, "record.feedback_id is missing."),
    (#"{"record":{"feedback_id":7,"count":1}}"#, "record.feedback_id must be"),
    (#"{"record":{"feedback_id":null,"count":1}}"#, "record.feedback_id must be a string, not null."),
    (#"{"record":{"feedback_id":"x","count":1}}"#, "record.feedback_id has an unusable value."),
    (#"{"record":{"feedback_id":" \#(id.dropFirst())","count":1}}"#, "record.feedback_id has an unusable value."),
    (#"{"record":{"feedback_id":"\#(id)","count":"1"}}"#, "record.count must be a whole number."),
    (#"{"record":{"feedback_id":"\#(id)","count":1},"at":"soon"}"#, "at has an unusable value."),
    (#"[]"#, "The payload must be an object."),
  ])
  func namesTheFieldThatIsWrong(_ document: String, _ sentence: String) {
    #expect { try decode(document) } throws: {
      ($0 as? FunctionError)?.code == .invalidEvent && ($0 as? FunctionError)?.message.contains(sentence) == true
    }
  }
}
