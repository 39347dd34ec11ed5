import FoundationEssentials
import FunctionKit
import Testing

@testable import Actions
@testable import Activity
@testable import Devices
@testable import Inbox
@testable import Openapi
@testable import Preferences
@testable import Travel
@testable import Unsubscribe

/// The functions behind the routes, put together as their programs are.
struct HTTPFunctions {
  private let answers: [String: @Sendable (Event<HTTPRequest>, Context) async throws -> HTTPResponse]

  init(_ environment: Environment) async throws {
    answers = Dictionary(
      uniqueKeysWithValues: [
        try await Self.live(Actions.self, environment), try await Self.live(Activity.self, environment),
        try await Self.live(Devices.self, environment), try await Self.live(Inbox.self, environment),
        try await Self.live(Openapi.self, environment), try await Self.live(Preferences.self, environment),
        try await Self.live(Travel.self, environment), try await Self.live(Unsubscribe.self, environment),
      ])
  }

  /// The names of the functions that are here.
  var names: Set<String> { Set(answers.keys) }

  func answer(_ request: HTTPRequest, by function: String) async throws -> HTTPResponse {
    let answer = try #require(answers[function])
    let envelope = Envelope(id: "call", source: "/http/\(function)", type: EventType.call, data: .null)
    let context = Context(function: function, dryRun: false, now: Demo.now, log: Log { _ in })
    return try await answer(Event(envelope: envelope, data: request), context)
  }

  private static func live<F: Function>(
    _ function: F.Type, _ environment: Environment
  ) async throws -> (String, @Sendable (Event<HTTPRequest>, Context) async throws -> HTTPResponse)
  where F.Payload == HTTPRequest, F.Output == HTTPResponse {
    let function = try await function.live(environment)
    return (F.name, { try await function.handle($0, $1) })
  }
}
