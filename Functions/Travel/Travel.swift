import API
import Formats
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive

/// Sets the caller's travel time to an event.
@main
struct Travel: APIFunction {
  static let summary = "Sets how long a person's way to an event takes, which moves their time to leave (HTTP)."
  static let endpoints: [Endpoint<Self>] = [
    Endpoint(.put, "/api/v1/events/{id}/travel", set),
    Endpoint(.delete, "/api/v1/events/{id}/travel", clear),
  ]

  let tokens: TokenStore
  let store: TravelStore

  static func live(_ environment: Environment) throws -> Self {
    let connection = try Connection(environment, name: name)
    return Self(tokens: TokenStore(connection), store: TravelStore(connection))
  }

  private func set(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let (event, fields) = (try request.id("id"), try request.fields())
    let way = Notifications.Travel(
      minutes: try fields.required("minutes", .integer(0...1_440)), mode: try fields.optional("mode", .text(1...50)),
      traffic: try fields.optional("traffic", .text(1...50)))
    guard try await store.set(way, to: event, of: person, at: request.now, dryRun: request.dryRun) else {
      throw APIError.notFound
    }
    return try .json(Answer(eventId: event.lowercased, way))
  }

  private func clear(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let event = try request.id("id")
    guard try await store.clear(event, of: person, at: request.now, dryRun: request.dryRun) else {
      throw APIError.notFound
    }
    return .noContent
  }
}

/// The stored values.
private struct Answer: Encodable {
  let eventId: String
  let minutes: Int
  let mode: String?
  let traffic: String?

  init(eventId: String, _ way: Notifications.Travel) {
    self.eventId = eventId
    (minutes, mode, traffic) = (way.minutes, way.mode, way.traffic)
  }
}
