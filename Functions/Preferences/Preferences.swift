import API
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import StoreLive

/// Shows and changes the caller's preferences.
@main
struct Preferences: APIFunction {
  static let summary = "Shows and changes what a person wants to hear (HTTP)."
  static let endpoints: [Endpoint<Self>] = [
    Endpoint(.get, "/api/v1/auth/notifications", personal),
    Endpoint(.patch, "/api/v1/auth/notifications", changePersonal),
    Endpoint(.get, "/api/v1/projects/{id}/notification-preferences", ofProject),
    Endpoint(.patch, "/api/v1/projects/{id}/notification-preferences", changeProject),
    Endpoint(.get, "/api/v1/groups/{id}/notification-preferences", ofGroup),
    Endpoint(.patch, "/api/v1/groups/{id}/notification-preferences", changeGroup),
    Endpoint(.get, "/api/v1/proposals/{id}/notification-preferences", ofProposal),
    Endpoint(.patch, "/api/v1/proposals/{id}/notification-preferences", changeProposal),
    Endpoint(.get, "/api/v1/mutes", mutes),
    Endpoint(.put, "/api/v1/mutes", mute),
  ]

  let tokens: TokenStore
  let store: PreferenceStore
  let muteStore: MuteStore

  static func live(_ environment: Environment) throws -> Self {
    let connection = try Connection(environment, name: name)
    return Self(tokens: TokenStore(connection), store: PreferenceStore(connection), muteStore: MuteStore(connection))
  }

  private func personal(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    try found(await store.personal(of: person, app: try request.app(), at: request.now))
  }

  private func changePersonal(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let app = try request.app()
    let changes = try PersonalChanges(request.fields(), app: app)
    return try found(
      await store.personal(of: person, app: app, changing: changes, at: request.now, dryRun: request.dryRun))
  }

  private func ofProject(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    try found(await store.preferences(of: person, project: try request.id("id"), at: request.now))
  }

  private func changeProject(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let project = try request.id("id")
    let changes = try ProjectChanges(request.fields())
    return try found(
      await store.preferences(
        of: person, project: project, changing: changes, at: request.now, dryRun: request.dryRun))
  }

  private func ofGroup(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    try found(await store.preferences(of: person, group: try request.id("id"), at: request.now))
  }

  private func changeGroup(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let group = try request.id("id")
    let push = try request.fields().object("push")
    let level: Candidate.Level? = try push?.update("level", .choice, default: .all)
    return try found(
      await store.preferences(
        of: person, group: group, changing: level, try push?.changes(Override.group) ?? [:], at: request.now,
        dryRun: request.dryRun))
  }

  private func ofProposal(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    try found(await store.preferences(of: person, proposal: try request.id("id"), at: request.now))
  }

  private func changeProposal(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let proposal = try request.id("id")
    let voteCast = try request.fields().change("voteCast", .boolean).new
    return try found(
      await store.preferences(
        of: person, proposal: proposal, changing: voteCast, at: request.now, dryRun: request.dryRun))
  }

  private func mutes(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    .json(try await muteStore.mutes(of: person, at: request.now))
  }

  private func mute(_ request: APIRequest, _ person: Person) async throws -> HTTPResponse {
    let wanted = try MuteRequest(request.fields())
    var end: Date?
    if let wish = wanted.end {
      let zone =
        if let zone = wanted.timeZone { zone } else { try await muteStore.zone(of: person, for: wanted.scope.app) }
      let instant = wish.date(from: request.now, in: zone)
      guard instant > request.now else { throw APIError(409, "until must be later than now.") }
      guard instant <= request.now.addingTimeInterval(MuteEnd.longest) else {
        throw APIError(409, "until must be within a year from now.")
      }
      end = instant
    }
    return try found(
      await muteStore.mute(wanted.scope, until: end, by: person, at: request.now, dryRun: request.dryRun))
  }

  private func found(_ document: RawJSON?) throws(APIError) -> HTTPResponse {
    guard let document else { throw .notFound }
    return .json(document)
  }
}
