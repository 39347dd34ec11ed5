import API
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive

/// Records what the caller is looking at; they get no notifications about it meanwhile.
@main
struct Activity: APIFunction {
  static let summary = "Notes what a person is looking at in an app (HTTP)."
  static let endpoints: [Endpoint<Self>] = [
    Endpoint(.put, "/api/v1/activity", look),
    Endpoint(.delete, "/api/v1/activity", leave),
  ]

  let tokens: TokenStore
  let store: ActivityStore

  static func live(_ environment: Environment) throws -> Self {
    let connection = try Connection(environment, name: name)
    return Self(tokens: TokenStore(connection), store: ActivityStore(connection))
  }

  private func look(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let app = try request.app()
    guard let subject = try app.subject(in: request.fields()) else {
      throw APIError.invalid("subjectId is missing.")
    }
    try await store.look(at: subject, in: app, as: person, at: request.now, dryRun: request.dryRun)
    return .noContent
  }

  /// Records that the person left a screen.
  ///
  /// The report may come late. It names the screen, so that it does not remove the next one.
  private func leave(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let app = try request.app()
    let (asked, told) = (try app.subject(inQueryOf: request), try app.subject(in: request.optionalFields()))
    try await store.leave(asked ?? told, in: app, as: person, dryRun: request.dryRun)
    return .noContent
  }
}
