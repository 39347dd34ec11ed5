import API
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive

/// Lists the caller's notifications, and marks them as read or archives them.
@main
struct Inbox: APIFunction {
  static let summary = "Lists, counts, reads and archives inbox entries (HTTP)."
  static let endpoints: [Endpoint<Self>] = [
    .reading(.get, "/api/v1/notifications", list),
    .reading(.get, "/api/v1/notifications/unread-count", count),
    Endpoint(.post, "/api/v1/notifications/read-all", readAll),
    Endpoint(.post, "/api/v1/notifications/{id}/read", read),
    Endpoint(.post, "/api/v1/notifications/{id}/archive", archive),
    Endpoint(.delete, "/api/v1/notifications/{id}", archive),
  ]

  let tokens: TokenStore
  let store: InboxStore

  static func live(_ environment: Environment) throws -> Self {
    // All people share a page's plan, and planning takes several times as long as reading the page.
    let connection = try Connection(
      environment, name: name, parameters: [("plan_cache_mode", "force_generic_plan")])
    return Self(tokens: TokenStore(connection), store: InboxStore(connection))
  }

  private func list(_ request: APIRequest) throws -> PersonalRead<HTTPResponse> {
    let filter = try InboxFilter(request)
    let limit = try request.parameter("limit", .integer(1...100)) ?? filter.app.profile.pageSize
    let page = InboxStore.page(filter, after: try request.cursor(in: filter), limit: limit, at: request.now)
    return page.map { page in
      .json(
        RawJSON(object: [
          ("notifications", RawJSON(array: page.items.map(\.json))),
          ("nextCursor", page.next.map { RawJSON($0.text(in: filter)) } ?? .null),
        ]))
    }
  }

  private func count(_ request: APIRequest) throws -> PersonalRead<HTTPResponse> {
    InboxStore.counts(in: try request.app(), at: request.now).map { counts in
      .json(RawJSON(object: [("badge", RawJSON(counts.badge)), ("unread", RawJSON(counts.unread))]))
    }
  }

  private func readAll(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let read = try await store.markAllRead(in: try request.app(), of: person, request.eventContext)
    return try .json(["read": read])
  }

  private func read(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    guard try await store.markRead(try request.id("id"), of: person, at: request.now, dryRun: request.dryRun) else {
      throw APIError.notFound
    }
    return .noContent
  }

  private func archive(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    guard try await store.archive(try request.id("id"), of: person, at: request.now, dryRun: request.dryRun) else {
      throw APIError.notFound
    }
    return .noContent
  }
}
