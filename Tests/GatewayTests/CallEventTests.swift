import FunctionKit
import HTTP1
import Testing

@testable import Capture
@testable import Gateway
@testable import Manifest

struct CallEventTests {
  private static let row =
    #"{"type":"INSERT","table":"t","record":{"id":1},"schema":"public","old_record":null}"#

  private func event(
    _ body: String = "{}", _ headers: HeaderFields = [:], auth: HTTPTrigger.Auth = .key
  ) throws -> Envelope {
    let request = HTTP1Request(method: "POST", path: "/functions/v1/f", headers: headers, body: Array(body.utf8))
    return try CallEvent(request, to: "f", auth: auth, callID: "call").envelope
  }

  private func binary(_ headers: HeaderFields, body: String = "1") throws -> Envelope {
    var all: HeaderFields = ["ce-specversion": "1.0", "ce-id": "1", "ce-source": "/x", "ce-type": "t"]
    for field in headers.list { all.append(field.name, field.value) }
    return try event(body, all)
  }

  private func status(_ body: String = "{}", _ headers: HeaderFields) -> Int? {
    do {
      _ = try event(body, headers)
      return nil
    } catch {
      return (error as? InvalidCall)?.answer(callID: "call").status
    }
  }

  @Test func anyDocumentIsAPayload() throws {
    #expect(try event("[1]").data == RawJSON(validating: Array("[1]".utf8)[...]))
    #expect(try event("").data == RawJSON(object: []))
    #expect(try event("[1]").id == "call")
    #expect(try event("\u{FEFF}[1]").data == event("[1]").data)
    #expect(try event("\u{FEFF}\(Self.row)").id == SHA256.hex(Array(Self.row.utf8)))
    #expect(try event(Self.row).type == EventType.row)
    #expect(try event(Self.row).id == SHA256.hex(Array(Self.row.utf8)))
  }

  @Test func aStructuredEventKeepsItsAttributesButNotItsSource() throws {
    let given = #"{"specversion":"1.0","id":"a","source":"/postgres/t","type":"t","subject":"s","data":2}"#
    let event = try event(given, ["content-type": "Application/CloudEvents+JSON ; charset=utf-8"])

    #expect((event.id, event.source, event.type) == ("a", "/http/f", "t"))
    #expect(event["subject"]?.stringValue == "s")
    #expect(event.data.intValue == 2)
  }

  @Test func aCallerDoesNotSayWhatTimeItIs() throws {
    let given = #"{"specversion":"1.0","id":"a","source":"/http/f","type":"t","now":"2030-01-01T00:00:00Z","data":2}"#
    let request = HTTP1Request(method: "POST", path: "/functions/v1/f", headers: [:], body: Array(given.utf8))
    let clock = { (now: String?) in
      try CallEvent(request, to: "f", auth: .key, callID: "call", now: now).envelope["now"]?.stringValue
    }

    #expect(try clock(nil) == nil)
    #expect(try clock("2026-08-01T00:00:00Z") == "2026-08-01T00:00:00Z")
    #expect(try binary(["ce-now": "2030-01-01T00:00:00Z"])["now"] == nil)
    let twice = given.replacing(#""data":2"#, with: #""now":"2031-01-01T00:00:00Z","n\u006fw":1,"data":2"#)
    #expect(try event(twice)["now"] == nil)
  }

  @Test func aStructuredEventMustBeOne() {
    #expect(status("{}", ["content-type": "application/cloudevents+json"]) == 400)
    #expect(status(#"{"specversion":"0.3","id":"1","source":"/","type":"t"}"#, [:]) == 400)
  }

  @Test(arguments: [
    "application/cloudevents-batch+json", "application/cloudevents-batch+json; charset=utf-8",
    "application/cloudevents+xml", "application/cloudevents",
  ])
  func otherFormatsAreNotTaken(_ type: String) {
    #expect(status("[]", ["content-type": type]) == 415)
  }

  @Test func aBinaryEventHasItsAttributesInHeaderFields() throws {
    let event = try binary(["ce-partitionkey": "k", "content-type": "application/json", "ce-Bad_Name": "x"])

    #expect((event.id, event.source, event.type) == ("1", "/http/f", "t"))
    #expect(event["partitionkey"]?.stringValue == "k")
    #expect(event["datacontenttype"]?.stringValue == "application/json")
    #expect(event["Bad_Name"] == nil)
    #expect(event.data.intValue == 1)
  }

  @Test func aBinaryEventWithoutABodyHasNoData() throws {
    #expect(try binary([:], body: "").data == .null)
  }

  @Test func theDataIsTheBodyWhateverTheHeaderSays() throws {
    #expect(try binary(["ce-data": "2", "ce-datacontenttype": "x", "ce-id": "2"]).data.intValue == 1)
    #expect(try binary(["ce-id": "2"]).id == "1")
    let event = try binary(["content-type": "application/json", "ce-datacontenttype": "text/xml"])
    #expect(event["datacontenttype"]?.stringValue == "application/json")
    #expect(event.document.members.count { $0.name == "datacontenttype" } == 1)
  }

  @Test(arguments: [
    ("caf%C3%A9", "café"), ("a%20%22%25", "a \"%"), (#""quoted \"text\"""#, "quoted \"text\""), ("100%", "100%"),
    ("%zz%+1", "%zz%+1"), ("%f0%9F%98%80", "😀"), ("%2541", "%41"), ("a\"b", "a\"b"),
  ])
  func valuesAreDecodedOnce(_ sent: String, _ meant: String) throws {
    #expect(try binary(["ce-subject": sent])["subject"]?.stringValue == meant)
  }

  @Test(arguments: ["%FF", "%C0%AF", "%ED%A0%80", "%E2%82", "%F4%90%80%80", "a\u{FFFD}"])
  func valuesThatAreNotUTF8AreRefused(_ sent: String) {
    #expect(
      status(["ce-specversion": "1.0", "ce-id": "1", "ce-source": "/", "ce-type": "t", "ce-subject": sent]) == 400)
  }

  private func status(_ headers: HeaderFields) -> Int? { status("{}", headers) }

  @Test func theIDOfASignedWebhookIsTheEvents() throws {
    let cloudEvent = #"{"specversion":"1.0","id":"own","source":"/s","type":"t","data":{}}"#
    for body in ["{}", Self.row, cloudEvent] {
      #expect(try event(body, ["webhook-id": "msg_1"], auth: .signature).id == "msg_1")
    }
    #expect(try event("{}", ["webhook-id": "msg_1"]).id == "call")
  }

  @Test func aTraceIsPassedOnUnlessItIsNone() throws {
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    #expect(try event("{}", ["traceparent": trace])["traceparent"]?.stringValue == trace)
    #expect(try event("{}", ["traceparent": "nonsense"])["traceparent"] == nil)
    #expect(try event("{}")["traceparent"] == nil)
  }

  @Test func anEventOverTheLimitIsTooLarge() {
    #expect(status("\"" + String(repeating: "a", count: Envelope.maximumSize - 10) + "\"", [:]) == 413)
  }

  @Test func aFunctionThatChecksItsCallersGetsTheWholeRequest() throws {
    let request = HTTP1Request(
      method: "PUT", path: "/functions/v1/f/a%20b", query: "x=1&y=%C3%A9+z&x=2&flag",
      headers: ["authorization": "Bearer t", "x-a": "1", "x-a": "2"], body: Array("héllo".utf8))
    let data = try CallEvent(request, to: "f", auth: .function, callID: "call").envelope.data

    #expect(data["version"]?.stringValue == "2.0")
    #expect(data["rawPath"]?.stringValue == "/functions/v1/f/a%20b")
    #expect(data["rawQueryString"]?.stringValue == "x=1&y=%C3%A9+z&x=2&flag")
    #expect(data["queryStringParameters"]?.members.map(\.name) == ["x", "y", "flag"])
    #expect(data["queryStringParameters"]?["x"]?.stringValue == "1,2")
    #expect(data["queryStringParameters"]?["y"]?.stringValue == "é z")
    #expect(data["headers"]?["authorization"]?.stringValue == "Bearer t")
    #expect(data["headers"]?["x-a"]?.stringValue == "1,2")
    let decoded = try HTTPRequest(data)
    #expect((decoded.requestContext.http.method, decoded.body, decoded.isBase64Encoded) == ("PUT", "héllo", false))
  }

  @Test func aBodyThatIsNoTextIsBase64() throws {
    let request = HTTP1Request(method: "POST", path: "/functions/v1/f", body: [0xFF, 0x00])
    let data = try CallEvent(request, to: "f", auth: .function, callID: "call").envelope.data

    #expect(data["isBase64Encoded"] == RawJSON(true))
    #expect(data["body"]?.stringValue == "/wA=")
  }
}
