import FunctionKit
import Testing

@testable import Openapi

/// `GET /openapi.json`.
struct OpenapiTests {
  private func get(_ headers: [String: String] = [:], method: String = "GET") throws -> HTTPResponse {
    let function = try Openapi.live(Environment([:], workingDirectory: "/"))
    let request = HTTPRequest(
      rawPath: "/openapi.json", headers: headers, requestContext: .init(http: .init(method: method)))
    let envelope = Envelope(id: "call", source: "/http/openapi", type: EventType.call, data: .null)
    let context = Context(function: "openapi", dryRun: false, now: Demo.now, log: Log { _ in })
    return function.handle(Event(envelope: envelope, data: request), context)
  }

  @Test func everybodyMayReadTheDocument() throws {
    let answer = try get()

    #expect(answer.statusCode == 200)
    #expect(answer.headers?["Cache-Control"] == "public, max-age=300")
    let operation = try #require(try APIDescription.served.get().operation("GET", "/openapi.json"))
    #expect(operation.problems(of: 200, answer.body) == [])
    #expect(!operation.isSignedIn)
  }

  @Test func whoeverMayReadItMayAskForItsHead() throws {
    #expect(try get(method: "HEAD").statusCode == 200)
    #expect(try get(method: "PUT").headers?["Allow"] == "GET, HEAD")
  }

  @Test func aCopyThatIsStillRightIsNotSentAgain() throws {
    let tag = try #require(try get().headers?["ETag"])

    let answer = try get(["If-None-Match": "W/\"other\", \(tag)"])

    #expect(answer.statusCode == 304 && answer.body == nil && answer.headers?["ETag"] == tag)
    #expect(try get(["if-none-match": "\"other\""]).statusCode == 200)
  }
}
