import FunctionKit
import Testing

@testable import StoreLive

/// The results in `handled_events` are read back as they were.
struct RecordedResultTests {
  @Test(arguments: [
    #"{"counts":{},"decisions":[],"deliveries":0,"event":"e","function":"f","notified":0}"#,
    #"{"alreadyApplied":false,"counts":{"submitter":1,"voter":2},"decisions":[{"decision":"notify","reason":"voter","#
      + #""user":"u1"},{"decision":"suppress","reason":"viewing","user":"u2"}],"deliveries":3,"dryRun":true,"#
      + #""event":"a\"b/ü\n","function":"f","notified":2,"reason":"subject_gone"}"#,
  ])
  func aResultIsWrittenAsItIsRead(_ text: String) throws {
    let document = try RawJSON(validating: Array(text.utf8)[...])

    let result = try JSONCoding.decode(NotificationResult.self, from: document)

    #expect(String(decoding: result.document.bytes, as: UTF8.self) == text)
  }
}
