import FunctionKit
import Testing

struct EnvelopeTests {
  private func envelope(_ document: String, eventID: String? = nil) throws -> Envelope {
    try Envelope(RawJSON(validating: Array(document.utf8)[...]), eventID: eventID)
  }

  private static let row = #"{"type":"INSERT","table":"votes","schema":"public","record":{"id":1},"old_record":null}"#

  @Test func readsACloudEvent() throws {
    let event = try envelope(
      #"{"specversion":"1.0","id":"7","source":"/a","type":"t","data":{"b":1},"partitionkey":"k","extra":2}"#)

    #expect((event.id, event.source, event.type) == ("7", "/a", "t"))
    #expect(event["partitionkey"]?.stringValue == "k")
    #expect(event.data["b"]?.intValue == 1)
  }

  @Test func givesABareRowChangeTheDigestOfItsText() throws {
    let (first, second) = (try envelope(Self.row), try envelope(" \(Self.row)\n"))

    #expect(first.id == SHA256.hex(Array(Self.row.utf8)))
    #expect(second.id == first.id)
    #expect(first.type == EventType.row)
  }

  @Test func givesAnyOtherBarePayloadAnIDOfItsOwn() throws {
    let (first, second) = (try envelope("{\"a\":1}"), try envelope("{\"a\":1}"))

    #expect(first.id != second.id)
    #expect(first.type == EventType.call)
  }

  @Test func takesTheGivenIDForABarePayload() throws {
    #expect(try envelope(Self.row, eventID: "mine").id == "mine")
  }

  @Test(arguments: [
    (#"{"specversion":"0.3","id":"1","source":"/a","type":"t"}"#, "specversion"),
    (#"{"specversion":"1.0","source":"/a","type":"t"}"#, "id"),
    (#"{"specversion":"1.0","id":"","source":"/a","type":"t"}"#, "id"),
    (#"{"specversion":"1.0","id":1,"source":"/a","type":"t"}"#, "id must be a string"),
    (#"{"specversion":"1.0","id":"1","type":"t"}"#, "source"),
    (#"{"specversion":"1.0","id":"1","source":"/a"}"#, "type"),
    (#"{"specversion":"1.0","id":"1","id":"2","source":"/a","type":"t"}"#, "twice"),
    (#"{"specversion":"1.0","id":"1","source":"/a","type":"t","data":1,"data":2}"#, "data is given twice"),
    (
      #"{"specversion":"1.0","id":"1","source":"/a","type":"t","datacontenttype":"a/b","datacontenttype":"c/d"}"#,
      "datacontenttype is given twice"
    ),
    (#"{"specversion":"1.0","id":"1","source":"/a","type":"t","data_base64":"e30="}"#, "datacontenttype of JSON"),
    (
      #"{"specversion":"1.0","id":"1","source":"/a","type":"t","datacontenttype":"text/xml","data_base64":"e30="}"#,
      "datacontenttype of JSON"
    ),
    (
      #"{"specversion":"1.0","id":"1","source":"/a","type":"t","datacontenttype":"application/json","data_base64":"e3="}"#,
      "data_base64 is not Base64"
    ),
    (
      #"{"specversion":"1.0","id":"1","source":"/a","type":"t","datacontenttype":"application/json","data_base64":"ew=="}"#,
      "data_base64 is not valid JSON"
    ),
    (
      #"{"specversion":"1.0","id":"1","source":"/a","type":"t","data":1,"datacontenttype":"a/json","data_base64":"e30="}"#,
      "exclude each other"
    ),
  ])
  func refusesBrokenCloudEventsNamingTheAttribute(_ document: String, _ name: String) {
    #expect { try envelope(document) } throws: {
      ($0 as? FunctionError)?.code == .invalidEvent && ($0 as? FunctionError)?.message.contains(name) == true
    }
  }

  /// The official Python SDK writes it whenever data are bytes.
  @Test(arguments: [
    "application/json", "Application/JSON; charset=utf-8", "text/json", "application/problem+json ; a=b",
  ])
  func bytesThatAreJSONAreTheData(_ type: String) throws {
    let start = #"{"specversion":"1.0","id":"1","source":"/a","type":"t","datacontenttype":"\#(type)""#
    let event = try envelope(#"\#(start),"data_base64":"eyJhIjoxLjUwfQ=="}"#)

    #expect(String(decoding: event.document.bytes, as: UTF8.self) == #"\#(start),"data":{"a":1.50}}"#)
    #expect(event.data["a"] != nil)
  }

  @Test func whatIsNullIsNotThere() throws {
    let start = #"{"specversion":"1.0","id":"1","source":"/a","type":"t","datacontenttype":null"#

    #expect(try envelope(#"\#(start),"data_base64":null,"data":1}"#).data.intValue == 1)
  }

  @Test func replacesMembersWithoutTouchingTheData() throws {
    let event = try envelope(#"{"specversion":"1.0","id":"1","source":"/forged","type":"t","attempt":1,"data":1.50}"#)

    let marked = event.with([("source", RawJSON("/http/x")), ("attempt", RawJSON(2))])

    #expect(marked.source == "/http/x")
    #expect(
      String(decoding: marked.document.bytes, as: UTF8.self)
        == #"{"specversion":"1.0","id":"1","source":"/http/x","type":"t","attempt":2,"data":1.50}"#)
  }
}
