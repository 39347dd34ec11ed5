import API
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive

/// Does what the caller chose on a notification, and records that they opened one.
@main
struct Actions: APIFunction {
  static let summary = "Does what a person chose on a notification: a vote, an answer, a reply, a snooze (HTTP)."
  static let endpoints: [Endpoint<Self>] = [
    Endpoint(.post, "/api/v1/notifications/{id}/actions", act),
    Endpoint(.post, "/api/v1/notifications/{id}/opened", open),
  ]

  let tokens: TokenStore
  let store: ActionStore

  static func live(_ environment: Environment) throws -> Self {
    let connection = try Connection(environment, name: name)
    return Self(tokens: TokenStore(connection), store: ActionStore(connection))
  }

  private func act(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let chosen = try ChosenAction(request.id("id"), request.fields())
    return try await refusing {
      try .json(try await store.act(chosen, by: person, at: request.now, dryRun: request.dryRun))
    }
  }

  private func open(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let fields = try request.optionalFields()
    let opening = Interaction(
      notification: try request.id("id"), device: try fields.optional("deviceId", .id), event: .opened,
      time: try fields.optional("at", .instant))
    return try await refusing {
      try await store.open(opening, by: person, at: request.now, dryRun: request.dryRun)
      return .noContent
    }
  }

  private func refusing(_ body: () async throws -> HTTPResponse) async throws -> HTTPResponse {
    do { return try await body() } catch let refusal as ActionRefusal { throw APIError(refusal) }
  }
}
