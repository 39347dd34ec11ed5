import EventLoop
package import FoundationEssentials
package import FunctionKit
import HTTP2
package import Notifications

/// APNs' broadcast channels: one push on a channel reaches all Live Activities that listen to it.
///
/// Each call has a connection of its own.
///
/// Source: https://developer.apple.com/documentation/usernotifications/sending-channel-management-requests-to-apns
package struct APNsChannels: Sendable {
  private let configuration: APNsConfiguration
  private let tokens: ProviderTokenStore
  private let countsEmulated: Bool
  private let log: Log
  private let now: @Sendable () -> Date
  private let limits = APNsSender.Limits()

  /// - Parameters:
  ///   - tokens: the store in which the team's processes share their provider tokens.
  ///   - countsEmulated: whether what a push emulator has done counts as done.
  ///   - now: the clock for the dates of provider tokens.
  package init(
    _ configuration: APNsConfiguration, tokens: ProviderTokenStore, countsEmulated: Bool = true, log: Log = Log(),
    now: @escaping @Sendable () -> Date = { .now }
  ) {
    (self.configuration, self.tokens, self.countsEmulated) = (configuration, tokens, countsEmulated)
    (self.log, self.now) = (log, now)
  }

  /// An app in an environment, which owns channels.
  package struct Owner: Sendable, Equatable, CustomStringConvertible {
    /// The bundle id, without a suffix.
    package var topic: String
    package var environment: PushEnvironment

    package init(topic: String, _ environment: PushEnvironment) {
      (self.topic, self.environment) = (topic, environment)
    }

    package var description: String { "\(topic) in \(environment.rawValue)" }
  }

  /// A push for everyone who listens to a channel.
  package struct Broadcast: Sendable, Equatable {
    /// The payload as JSON, at most 5,120 bytes.
    package var payload: String
    /// 5 or 10.
    package var priority: Int
    /// Until when APNs keeps it for phones that are offline.
    package var expiresAt: Date

    package init(_ payload: String, priority: Int, expiresAt: Date) {
      (self.payload, self.priority, self.expiresAt) = (payload, priority, expiresAt)
    }
  }

  /// Why a call has no result.
  package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// APNs has not done it, and will not.
    case refused(PushAnswer)
    /// APNs may have done it: there was no answer.
    case unknown(String)
    /// It is not done, and may be done later: no key signs for the app, APNs cannot be reached, or is busy.
    case undone(String)

    /// One line without secrets.
    package var description: String {
      switch self {
      case .refused(let answer): "\(answer.status) \(answer.reason ?? "without a reason")"
      case .unknown(let words): "no answer: \(words)"
      case .undone(let words): words
      }
    }
  }

  /// Creates a channel that stores its newest message, and returns its id, which is base64.
  ///
  /// After ``Failure/unknown(_:)`` the channel may be there, and nobody knows its id.
  package func create(for owner: Owner) async throws(Failure) -> String {
    let body = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#
    let response = try await send(Call("POST", .channels, body: body), owner)
    guard response.status == 201, let id = response.headers["apns-channel-id"], !id.isEmpty else {
      throw .refused(PushAnswer(response))
    }
    return id
  }

  /// Sends a push to everyone who listens to a channel.
  ///
  /// After ``Failure/unknown(_:)`` the same push may be sent again: phones ignore one that is not newer.
  ///
  /// Source: https://developer.apple.com/documentation/usernotifications/sending-broadcast-push-notification-requests-to-apns
  package func send(_ broadcast: Broadcast, on channel: String, of owner: Owner) async throws(Failure) {
    let headers = [
      HTTP2Header("apns-push-type", "liveactivity"), HTTP2Header("apns-priority", String(broadcast.priority)),
      HTTP2Header("apns-expiration", String(UInt32(max(0, broadcast.expiresAt.timeIntervalSince1970)))),
    ]
    let call = Call("POST", .broadcasts, channel: channel, headers: headers, body: broadcast.payload)
    let response = try await send(call, owner)
    guard response.status == 200 else { throw .refused(PushAnswer(response)) }
  }

  /// Deletes a channel; one that is gone already is no failure.
  package func delete(_ channel: String, of owner: Owner) async throws(Failure) {
    let response = try await send(Call("DELETE", .channels, channel: channel), owner)
    guard response.status != 204 else { return }
    let answer = PushAnswer(response)
    guard answer.isChannelGone || answer.status == 404 else { throw .refused(answer) }
  }

  private struct Call {
    enum Place { case channels, broadcasts }

    let method: String
    let place: Place
    var headers: [HTTP2Header]
    let body: String

    init(_ method: String, _ place: Place, channel: String? = nil, headers: [HTTP2Header] = [], body: String = "") {
      (self.method, self.place, self.headers, self.body) = (method, place, headers, body)
      if let channel { self.headers.append(HTTP2Header("apns-channel-id", channel)) }
      if !body.isEmpty { self.headers.append(HTTP2Header("content-type", "application/json")) }
    }

    func path(_ topic: String) -> String {
      switch place {
      case .channels: "/1/apps/\(topic)/channels"
      case .broadcasts: "/4/broadcasts/apps/\(topic)"
      }
    }
  }

  /// Repeats the call once with a new provider token if APNs calls the first one expired.
  private func send(_ call: Call, _ owner: Owner) async throws(Failure) -> HTTP2Response {
    let token = try await token(owner, refused: nil)
    let response = try await send(call, owner, token)
    guard PushAnswer(response).reason == "ExpiredProviderToken" else { return response }
    return try await send(call, owner, self.token(owner, refused: token))
  }

  private func send(_ call: Call, _ owner: Owner, _ token: ProviderToken) async throws(Failure) -> HTTP2Response {
    let server = configuration.server
    let endpoint =
      call.place == .broadcasts ? server.endpoint(owner.environment) : server.channels(owner.environment)
    let request = HTTP2Request(
      method: call.method, path: call.path(owner.topic), authority: endpoint.authority,
      headers: [HTTP2Header("authorization", "bearer \(token.bearer)", indexing: .never)] + call.headers,
      body: Array(call.body.utf8))
    let loop = EventLoop(name: "apns-channels")
    defer { loop.stop() }
    let client: HTTP2Client
    do {
      client = try await HTTP2Client.connect(
        to: endpoint, trust: configuration.trust, proxy: configuration.proxies[owner.environment],
        connectTimeout: limits.connecting, keepAlive: nil, loop: loop)
    } catch {
      throw .undone("\(endpoint) cannot be reached: \(error)")
    }
    let result = await client.send(request, timeout: limits.answer)
    await client.close()
    switch result {
    case .success(let response): return try checked(response)
    case .failure(let failure) where failure.mayHaveBeenProcessed: throw .unknown("\(failure)")
    case .failure(let failure): throw .undone("\(failure)")
    }
  }

  private func checked(_ response: HTTP2Response) throws(Failure) -> HTTP2Response {
    guard countsEmulated || !response.isEmulated else {
      throw .undone("a push emulator is configured beside a database that is not local")
    }
    guard ![429, 503].contains(response.status) else {
      throw .undone("\(Failure.refused(PushAnswer(response)))")
    }
    return response
  }

  private func token(_ owner: Owner, refused: ProviderToken?) async throws(Failure) -> ProviderToken {
    guard let key = configuration.key(for: owner.topic, in: owner.environment) else {
      throw .undone("no key signs for \(owner)")
    }
    let id = key.tokenID(owner.environment)
    do {
      return try await tokens.token(id, ProviderTokenStore.Demand(key, id, refused: refused, log: log, now: now))
    } catch {
      throw .undone("no provider token can be had: \(error)")
    }
  }
}

extension PushAnswer {
  /// Whether APNs says that it does not know the channel, for example because it was deleted.
  package var isChannelGone: Bool { reason == "ChannelNotRegistered" }
}
