import FunctionKit
import PersonLive
import Testing

@testable import API

/// Which endpoint a request is for, and what its path says.
struct EndpointTests {
  private struct Things: APIFunction {
    static let summary = "Answers with what it was asked for."
    static let endpoints: [Endpoint<Self>] = [
      .open(.get, "/things/{id}", show), .open(.get, "/things/new", make), .open(.put, "/things/{id}/{part}", show),
    ]

    var tokens: TokenStore { preconditionFailure("Everybody may ask.") }

    static func live(_ environment: Environment) -> Self { Self() }

    private func show(_ request: APIRequest) throws -> HTTPResponse {
      HTTPResponse(statusCode: 200, body: try request.text("id"))
    }

    private func make(_ request: APIRequest) -> HTTPResponse { HTTPResponse(statusCode: 200, body: "new") }
  }

  private func answer(
    _ method: String, _ path: String, by route: String? = nil, _ parameters: [String: String]? = nil
  ) async throws -> HTTPResponse {
    var request = HTTPRequest(rawPath: path, requestContext: .init(http: .init(method: method)))
    (request.routeKey, request.pathParameters) = (route, parameters)
    let envelope = Envelope(id: "call", source: "/http/things", type: EventType.call, data: .null)
    return try await Things().handle(
      Event(envelope: envelope, data: request), Context(function: "things", log: Log { _ in }))
  }

  @Test func whatTheGatewayFoundCounts() async throws {
    let found = try await answer("GET", "/elsewhere", by: "GET /things/{id}", ["id": "7"])

    #expect(found.statusCode == 200 && found.body == "7")
    #expect(try await answer("GET", "/elsewhere", by: "GET /things/new").body == "new")
  }

  @Test(
    arguments: [
      (nil, nil), ("$default", nil), ("GET /things/{id}", nil), ("GET /things/{id}", ["other": "8"]),
      ("GET /gone/{id}", ["id": "8"]),
    ] as [(String?, [String: String]?)])
  func anEventWithoutTheGatewaysFindingIsMatchedHere(_ route: String?, _ parameters: [String: String]?) async throws {
    #expect(try await answer("GET", "/things/7", by: route, parameters).body == "7")
  }

  @Test(arguments: [
    ("GET", "/things/new", 200), ("GET", "/things", 404), ("GET", "/things/", 404), ("GET", "//things/7", 404),
    ("GET", "/things/7/", 200), ("GET", "/things/new/", 200), ("HEAD", "/things/7", 200), ("GET", "/things/7//", 404),
    ("PUT", "/things/7", 405), ("GET", "/things/7/part", 405), ("PUT", "/things/7/part", 200),
  ])
  func aPathFitsSegmentBySegment(_ method: String, _ path: String, _ status: Int) async throws {
    let answer = try await answer(method, path)

    #expect(answer.statusCode == status)
    #expect(status != 405 || answer.headers?["Allow"] == (method == "PUT" ? "GET, HEAD" : "PUT"))
  }
}
