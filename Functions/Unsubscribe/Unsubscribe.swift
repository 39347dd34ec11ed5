import API
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import Signing
import StoreLive

/// Switches pushes off and on again by a mail's signed link, without sign-in.
///
/// A `GET` shows a page with a button and changes nothing, because mail scanners follow every link. The button sends a
/// `POST`. A mail program (RFC 8058) also sends a `POST`; its body can be ignored.
@main
struct Unsubscribe: APIFunction {
  static let summary = "Switches pushes off, and on again, by a signed link (HTTP)."
  static let endpoints: [Endpoint<Self>] = [
    .open(.get, "/api/v1/unsubscribe", show), .open(.post, "/api/v1/unsubscribe", turn),
  ]

  let tokens: TokenStore
  let store: UnsubscribeStore
  let mutes: MuteStore
  /// `nil` if no secret is set; then no link is valid.
  let authenticator: MessageAuthenticator?

  static func live(_ environment: Environment) throws -> Self {
    let connection = try Connection(environment, name: name)
    let secrets = environment[UnsubscribeLink.secret]
    let authenticator = secrets.flatMap(MessageAuthenticator.init)
    guard secrets == nil || authenticator != nil else { throw UnsubscribeLink.unusableSecret }
    return Self(
      tokens: TokenStore(connection), store: UnsubscribeStore(connection), mutes: MuteStore(connection),
      authenticator: authenticator)
  }

  private func show(_ request: APIRequest) async throws -> HTTPResponse {
    try await answer(request, hasTurned: false) { try await store.state(of: $0) }
  }

  private func turn(_ request: APIRequest) async throws -> HTTPResponse {
    let choice = try request.formField(Page.field)
    return try await answer(request, hasTurned: true) { unsubscription in
      if choice == Page.unmute {
        return try await store.mute(unsubscription, until: nil, at: request.now, dryRun: request.dryRun)
      }
      guard let pause = choice.flatMap(Page.Pause.init) else {
        return try await store.turn(unsubscription, on: choice == Page.on, at: request.now, dryRun: request.dryRun)
      }
      let zone = try await mutes.zone(of: unsubscription.person, for: unsubscription.app)
      return try await store.mute(
        unsubscription, until: pause.end.date(from: request.now, in: zone), at: request.now, dryRun: request.dryRun)
    }
  }

  private func answer(
    _ request: APIRequest, hasTurned: Bool, _ state: (Unsubscription) async throws -> SubscriptionState?
  ) async throws -> HTTPResponse {
    guard let authenticator else {
      request.log.error("Links cannot be checked", ["missing": UnsubscribeLink.secret])
      return request.wantsJSON
        ? APIError(503, "Links cannot be checked at the moment.").response
        : Page.closed(in: Words(for: request)).response
    }
    let unsubscription = unsubscription(request, authenticator)
    guard let unsubscription, let state = try await state(unsubscription) else {
      return request.wantsJSON
        ? APIError.notFound.response : Page.unknown(in: try await words(for: unsubscription, request)).response
    }
    let mutedUntil = state.mutedUntil.flatMap { $0 > request.now ? $0 : nil }
    if request.wantsJSON { return .json(unsubscription.json(state, mutedUntil)) }
    var muteEnd: SwitchPage.MuteEndTime?
    if let mutedUntil {
      let zone = try await mutes.zone(of: unsubscription.person, for: unsubscription.app)
      muteEnd = SwitchPage.MuteEndTime(date: mutedUntil, zone: zone)
    }
    return SwitchPage(
      unsubscription: unsubscription, state: state, muteEnd: muteEnd, hasTurned: hasTurned,
      words: try await words(for: unsubscription, request)
    ).page.response
  }

  /// What the page says is in the language in which the person is told things, else in one that the browser accepts.
  private func words(for unsubscription: Unsubscription?, _ request: APIRequest) async throws -> Words {
    guard let unsubscription, let tag = try await store.language(of: unsubscription) else { return Words(for: request) }
    return .of(Language(nearestTo: tag))
  }

  private func unsubscription(_ request: APIRequest, _ authenticator: MessageAuthenticator) -> Unsubscription? {
    guard let token = try? request.parameter("token", .text(1...2_000)) else { return nil }
    return authenticator.message(of: token).flatMap(Unsubscription.init(message:))
  }
}

extension Unsubscription {
  fileprivate func json(_ state: SubscriptionState, _ mutedUntil: Date?) -> RawJSON {
    RawJSON(object: [
      ("unsubscribed", RawJSON(!state.isOn)), ("app", RawJSON(app.rawValue)), ("scope", RawJSON(scope.name)),
      ("id", RawJSON(scope.id)), ("name", state.name.map { RawJSON($0) } ?? .null),
      ("mutedUntil", mutedUntil.map { RawJSON(RFC3339.seconds($0)) } ?? .null),
    ])
  }
}

extension Words {
  /// What is said in a language that the request accepts, else in English.
  fileprivate init(for request: APIRequest) {
    self = .of(request.header("accept-language").flatMap(Language.accepted) ?? .english)
  }
}
