import API
import FoundationEssentials
import FunctionKit
import Notifications
import PersonLive
import Postgres
import Signing
import StoreLive
import TimeZones

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
    let (choice, named) = (try request.formField(Page.field), try request.formField(Page.scope))
    return try await answer(request, hasTurned: true) { unsubscription in
      let scopes = unsubscription.muteScopes(named: named)
      if choice == Page.unmute {
        return try await store.mute(scopes, of: unsubscription, until: nil, at: request.now, dryRun: request.dryRun)
      }
      guard let pause = choice.flatMap(Page.Pause.init) else {
        return try await store.turn(unsubscription, on: choice == Page.on, at: request.now, dryRun: request.dryRun)
      }
      let zone = try await mutes.zone(of: unsubscription.person, for: unsubscription.app)
      return try await store.mute(
        scopes, of: unsubscription, until: pause.end.date(from: request.now, in: zone), at: request.now,
        dryRun: request.dryRun)
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
    let lasting = state.mutes.compactMap { scope, end in
      end.flatMap { $0 > request.now ? SwitchPage.LastingMute(scope: scope, end: $0) : nil }
    }
    if request.wantsJSON { return .json(unsubscription.json(state, lasting)) }
    return SwitchPage(
      unsubscription: unsubscription, state: state, mutes: lasting,
      zone: lasting.isEmpty ? .utc : try await mutes.zone(of: unsubscription.person, for: unsubscription.app),
      hasTurned: hasTurned, words: try await words(for: unsubscription, request)
    ).page.response
  }

  /// The words of the page, in the language in which the person is told things, else in one that the browser accepts.
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
  /// The scopes that a form means; without the field, the link's subject.
  fileprivate func muteScopes(named names: String?) -> [MuteScope] {
    guard let names = names?.split(separator: ".") else { return [muteScope] }
    return muteScopes.filter { names.contains($0.name[...]) }
  }

  fileprivate func json(_ state: SubscriptionState, _ mutes: [SwitchPage.LastingMute]) -> RawJSON {
    let own = mutes.first { $0.scope == muteScope }
    return RawJSON(object: [
      ("unsubscribed", RawJSON(!state.isOn)), ("app", RawJSON(app.rawValue)), ("scope", RawJSON(scope.name)),
      ("id", RawJSON(scope.id)), ("name", state.name.map { RawJSON($0) } ?? .null),
      ("mutedUntil", own.map { RawJSON(RFC3339.seconds($0.end)) } ?? .null),
      (
        "mutes",
        RawJSON(
          array: mutes.map { mute in
            RawJSON(object: [
              ("scope", RawJSON(mute.scope.name)), ("until", RawJSON(RFC3339.seconds(mute.end))),
            ])
          })
      ),
    ])
  }
}

extension Words {
  /// The words of a language that the request accepts, else the English ones.
  fileprivate init(for request: APIRequest) {
    self = .of(request.header("accept-language").flatMap(Language.accepted) ?? .english)
  }
}
