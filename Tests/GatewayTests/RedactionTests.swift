import FunctionKit
import Testing

@testable import Gateway
@testable import Manifest

struct RedactionTests {
  private func redacted(_ text: String, _ entry: FunctionEntry) throws -> String {
    let data = try RawJSON(validating: Array(text.utf8)[...])
    return String(decoding: Redaction(entry).applied(to: data).bytes, as: UTF8.self)
  }

  @Test func valuesOfRedactedNamesBecomeNull() throws {
    let entry = FunctionEntry(name: "f", redact: ["email", "record"])

    #expect(try redacted(#"{"email":"a@b","n":{"email":1}}"#, entry) == #"{"email":null,"n":{"email":1}}"#)
    #expect(try redacted(#"{"old_record":{"email":1,"id":2}}"#, entry) == #"{"old_record":{"email":null,"id":2}}"#)
    #expect(try redacted(#"{"record":{"id":2}}"#, entry) == #"{"record":null}"#)
    #expect(try redacted("[1]", entry) == "[1]")
  }

  @Test func whatProvesAnIdentityIsNotKept() throws {
    let entry = FunctionEntry(name: "f", triggers: [.http(HTTPTrigger(auth: .function))])

    #expect(
      try redacted(#"{"headers":{"authorization":"x","a":"b","cookie":"c","apikey":"k"}}"#, entry)
        == #"{"headers":{"a":"b"}}"#)
  }
}
