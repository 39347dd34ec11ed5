import FunctionKit
import Testing

struct HTTPMessageTests {
  private func json(_ text: String) throws -> RawJSON { try RawJSON(validating: Array(text.utf8)[...]) }

  @Test func aRequestIsReadWithWhatMatters() throws {
    let request = try HTTPRequest(
      json(
        """
        {"version":"2.0","rawPath":"/a","queryStringParameters":{"b":"c"},"headers":{"d":"\\u00e9"},
         "requestContext":{"http":{"method":"PUT","path":"/a"}},"body":"{}","isBase64Encoded":true}
        """))

    #expect(request.rawPath == "/a" && request.requestContext.http.method == "PUT")
    #expect(request.queryStringParameters == ["b": "c"] && request.headers == ["d": "é"])
    #expect(request.body == "{}" && request.isBase64Encoded)
  }

  @Test func whatIsNotSaidIsEmpty() throws {
    let request = try HTTPRequest(json(#"{"rawPath":"/","requestContext":{"http":{"method":"GET"}},"body":null}"#))

    #expect(request.headers.isEmpty && request.queryStringParameters == nil && request.body == nil)
    #expect(!request.isBase64Encoded)
  }

  @Test(arguments: [
    ("[]", "The payload must be an object."), ("{}", "rawPath is missing."),
    (#"{"rawPath":null}"#, "rawPath is missing."), (#"{"rawPath":7}"#, "rawPath must be a string."),
    (#"{"rawPath":"/","requestContext":null}"#, "requestContext.http.method is missing."),
    (#"{"rawPath":"/"}"#, "requestContext.http.method is missing."),
    (
      #"{"rawPath":"/","requestContext":{"http":{"method":"GET"}},"headers":{"a":1}}"#,
      "headers must be an object of strings."
    ),
    (#"{"rawPath":"/","requestContext":{"http":{"method":"GET"}},"body":{}}"#, "body must be a string."),
  ])
  func whatIsWrongIsNamed(_ text: String, _ sentence: String) throws {
    let error = try #require(throws: FunctionError.self) { try HTTPRequest(json(text)) }

    #expect(error.code == .invalidEvent && error.message == sentence)
  }

  @Test func anAnswerIsReadAsItWasWritten() throws {
    var answer = HTTPResponse(statusCode: 201, headers: ["B": "2", "A": "1\n"], body: "\"é\u{1}\"")
    answer.isBase64Encoded = false

    let read = try #require(HTTPResponse(answer.json))

    #expect(read.statusCode == 201 && read.headers == answer.headers && read.body == answer.body)
    #expect(read.isBase64Encoded == false)
    #expect(HTTPResponse(statusCode: 204).json == RawJSON(object: [("statusCode", RawJSON(204))]))
  }

  @Test(arguments: [
    #"{"statusCode":"200"}"#, #"{"statusCode":200,"body":{}}"#, #"{"statusCode":200,"headers":{"a":1}}"#, "[]", "{}",
    #"{"statusCode":200,"isBase64Encoded":"yes"}"#,
  ])
  func anythingElseIsNoAnswer(_ text: String) throws {
    let answer = HTTPResponse(try json(text))

    #expect(answer == nil)
  }
}
