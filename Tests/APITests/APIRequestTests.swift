import FoundationEssentials
import FunctionKit
import Testing

@testable import API

struct APIRequestTests {
  private func request(
    _ body: String? = nil, isBase64: Bool = false, query: [String: String]? = nil, type: String? = nil,
    parameters: [String: String] = [:]
  ) throws -> APIRequest {
    let http = HTTPRequest(
      rawPath: "/", queryStringParameters: query, headers: type.map { ["content-type": $0] } ?? [:],
      requestContext: .init(http: .init(method: "POST")), body: body, isBase64Encoded: isBase64)
    let envelope = Envelope(id: "call", source: "/http/test", type: EventType.call, data: .null)
    let event = Event(envelope: envelope, data: http)
    return try APIRequest(event, parameters, Context(function: "test", log: Log { _ in }))
  }

  private func refusal(_ read: () throws -> Void) -> APIError? {
    do { try read() } catch { return error as? APIError }
    return nil
  }

  @Test func aBodyMayBeTooLargeByOneByte() throws {
    let frame = #"{"a":""}"#
    let largest = String(repeating: "x", count: APIRequest.largestBody - frame.utf8.count)

    #expect(try request(#"{"a":"\#(largest)"}"#).fields().names == ["a"])
    #expect(refusal { _ = try request(#"{"a":"\#(largest)x"}"#).fields() }?.status == 413)
  }

  @Test(arguments: [
    ("{", "The body is not valid JSON"), ("[]", "The body must be an object."),
    ("\"\u{1}\"", "The body is not valid JSON"),
    (String(repeating: "[", count: 100) + String(repeating: "]", count: 100), "nested"),
  ])
  func whatIsNoObjectIsRefused(_ body: String, _ sentence: String) {
    let refusal = refusal { _ = try request(body).fields() }

    #expect(refusal?.status == 400)
    #expect(refusal?.reason.contains(sentence) == true, "\(refusal?.reason ?? "")")
  }

  @Test func aBodyThatIsNoUTF8IsRefused() {
    let body = Data([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]).base64EncodedString()

    #expect(refusal { _ = try request(body, isBase64: true).fields() }?.status == 400)
    #expect(refusal { _ = try request("%%", isBase64: true).fields() }?.reason == "The body is not Base64.")
  }

  @Test func aMissingBodyHasNoFieldsWhereNoneAreNeeded() throws {
    #expect(try request().optionalFields().names.isEmpty)
    #expect(refusal { _ = try request("").fields() }?.reason == "The body is missing.")
  }

  @Test(
    arguments: [
      (nil, nil), ("application/json", nil), ("application/json; charset=utf-8", nil),
      ("application/merge-patch+json", nil),
      ("text/plain", 415), ("application/x-www-form-urlencoded", 415),
    ] as [(String?, Int?)])
  func theBodyIsJSON(_ type: String?, _ status: Int?) {
    #expect(refusal { _ = try request("{}", type: type).fields() }?.status == status)
  }

  @Test func whatIsNoIDBelongsToNothing() throws {
    let id = UUID()

    #expect(try request(parameters: ["id": id.uuidString.lowercased()]).id("id") == id)
    for text in ["7", "'; DROP TABLE users; --", ""] {
      #expect(refusal { _ = try request(parameters: ["id": text]).id("id") }?.status == 404, "\(text)")
    }
  }

  @Test func parametersOfTheQueryAreReadByTheSameRules() throws {
    let request = try request(query: ["limit": "20", "unread": "true", "kind": "12", "zone": "x"])

    #expect(try request.parameter("limit", .integer(1...100)) == 20)
    #expect(try request.parameter("unread", .boolean) == true)
    #expect(try request.parameter("kind", .text(1...5)) == "12")
    #expect(try request.parameter("missing", .boolean) == nil)
    #expect(
      refusal { _ = try request.parameter("zone", .integer(1...9)) }?.reason
        == "zone must be a whole number from 1 to 9.")
  }

  @Test(
    arguments: [
      ("Bearer abc", "abc"), ("BEARER  abc", "abc"), ("Basic abc", nil), ("Bearer", nil), ("Bearer a b", nil),
      ("Bearer ä", nil), ("abc", nil),
    ] as [(String, String?)])
  func aBearerTokenIsShownInOneWay(_ field: String, _ token: String?) {
    let request = HTTPRequest(
      rawPath: "/", headers: ["authorization": field], requestContext: .init(http: .init(method: "GET")),
      isBase64Encoded: false)

    #expect(request.bearerToken == token)
  }
}
