import API
import FoundationEssentials
import FunctionKit
import PersonLive
import Postgres
import Testing

/// The demo's people, who call API functions with tokens of their own.
struct APIScene {
  let demo: Demo
  /// A connection of the functions, made as `live` makes one.
  let connection: Connection

  init() async throws {
    self.init(try await Demo())
    try await issueTokens()
  }

  init(_ demo: Demo) {
    (self.demo, connection) = (demo, Connection(url: demo.url, applicationName: "function"))
  }

  func issueTokens() async throws {
    for person in Person.allCases {
      _ = try await demo.connection.query(
        """
        INSERT INTO user_tokens (value, user_id) VALUES (\(Self.token(of: person)), \(person.id)::uuid)
        ON CONFLICT DO NOTHING
        """)
    }
  }

  static func token(of person: Person) -> String { "token-of-\(person)" }

  var tokens: TokenStore { TokenStore(connection) }

  /// Calls an API function as a person, or without a person.
  func call<F: APIFunction>(
    _ function: F, _ method: HTTPMethod, _ path: String, as person: Person? = .ada, token: String? = nil,
    query: [String: String]? = nil, _ body: String? = nil, headers: [String: String] = [:], at now: Date = Demo.now,
    dryRun: Bool = false
  ) async throws -> APIAnswer {
    let token = token ?? person.map(Self.token)
    let request = HTTPRequest(
      rawPath: path, queryStringParameters: query,
      headers: headers.merging(token.map { ["authorization": "Bearer \($0)"] } ?? [:]) { $1 },
      requestContext: .init(http: .init(method: method.rawValue)), body: body)
    let envelope = Envelope(id: "call", source: "/http/\(F.name)", type: EventType.call, data: .null)
    let context = Context(function: F.name, dryRun: dryRun, now: now, log: Log { _ in })
    let response = try await function.handle(Event(envelope: envelope, data: request), context)
    expectDescribed(response, method.rawValue, path)
    return APIAnswer(response)
  }

  /// Records an issue where an answer is not as the OpenAPI document says.
  func expectDescribed(_ response: HTTPResponse, _ method: String, _ path: String) {
    do {
      guard let operation = try APIDescription.served.get().operation(method, path) else { return }
      for problem in operation.problems(of: response.statusCode, response.body) { Issue.record("\(problem)") }
    } catch {
      Issue.record(error)
    }
  }
}

/// The answer of an API function.
struct APIAnswer {
  let response: HTTPResponse
  let json: RawJSON

  init(_ response: HTTPResponse) {
    self.response = response
    json = (try? RawJSON(validating: Array((response.body ?? "null").utf8)[...])) ?? .null
  }

  var status: Int { response.statusCode }
  /// The reason of its refusal.
  var reason: String? {
    json["error"].map(\.bytes).map { Array($0) } == Array("true".utf8) ? json["reason"]?.stringValue : nil
  }
}
