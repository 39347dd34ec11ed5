import Formats
import FoundationEssentials
import FunctionKit
import HTTP2

/// APNs' channel management API, and pushes on channels.
extension APNS {
  /// Checks a request for channels in this order: route, provider token, app, channel and body.
  mutating func judgeCall(
    _ request: PushRequest, on connection: Connection, faults: inout FaultScript, now: Date
  ) -> ChannelCall {
    var call = ChannelCall(requestID: UUID().lowercased)
    do throws(Reason) {
      let (app, verb) = try rules.checkChannelRoute(request)
      call.requestID = try PushRules.requestID(request.headers)
      let (provider, owner) = try self.owner(app, request, on: connection, now: now)
      call.provider = provider
      call.action = try action(verb, request, of: owner)
      let target = Fault.Target(service: .channels, token: request.headers.channelID ?? "", topic: app, pushType: nil)
      if let fault = faults.effect(on: target) { call.effect = fault.effect }
    } catch {
      call.effect = Effect(.refused(error))
    }
    return call
  }

  private func action(
    _ verb: ChannelCall.Verb, _ request: PushRequest, of owner: BroadcastChannel.Owner
  ) throws(Reason) -> ChannelCall.Action {
    switch verb {
    case .create:
      let policy = try PushRules.storagePolicy(request.body)
      try channels.checkRoom(for: owner)
      return .create(owner, policy)
    case .read: return .read(try channels.channel(request.headers.channelID, of: owner))
    case .delete: return .delete(try channels.channel(request.headers.channelID, of: owner))
    case .list: return .list(owner)
    }
  }

  private mutating func owner(
    _ app: String, _ request: PushRequest, on connection: Connection, now: Date
  ) throws(Reason) -> (ProviderToken, BroadcastChannel.Owner) {
    let provider = try tokens.token(in: request.headers.authorization, on: connection, now: now)
    try rules.checkApp(app, topics: tokens.keys[provider.keyID]?.topics ?? [])
    return (provider, BroadcastChannel.Owner(app: app, environment: connection.face.environment))
  }

  /// Does what a request wants if its effect is that, and gives the answer.
  mutating func perform(_ call: ChannelCall) -> HTTP2Response {
    let answer = call.effect.answer
    let done = call.effect.isTaken ? call.action.map { perform($0) } : nil
    let headers = [
      HTTP2Header("apns-request-id", call.requestID, indexing: .never), HTTP2Header("x-push-emulator", "1"),
    ]
    guard let done, answer.body.isEmpty else {
      return HTTP2Response(status: answer.status ?? 500, headers: headers, body: answer.body)
    }
    let channel = done.channel.map { [HTTP2Header("apns-channel-id", $0)] } ?? []
    return HTTP2Response(status: done.status, headers: headers + channel, body: done.body)
  }

  private mutating func perform(_ action: ChannelCall.Action) -> (status: Int, body: [UInt8], channel: String?) {
    switch action {
    case .create(let owner, let policy): return (201, [], channels.create(for: owner, policy).id)
    case .read(let channel):
      let members = [
        ("message-storage-policy", RawJSON(channel.policy.rawValue)), ("push-type", RawJSON("LiveActivity")),
      ]
      return (200, Array(RawJSON(object: members).bytes), nil)
    case .delete(let channel):
      channels.remove(channel)
      return (204, [], nil)
    case .list(let owner):
      let ids = RawJSON(array: channels.all(of: owner).map { RawJSON($0) })
      return (200, Array(RawJSON(object: [("channels", ids)]).bytes), nil)
    }
  }

  /// Checks a broadcast in this order: route, provider token, app, channel, header fields and payload.
  mutating func judgeBroadcast(
    _ request: PushRequest, on connection: Connection, to phones: inout Phones, now: Date
  ) -> Judgement {
    let headers = request.headers
    var judgement = Judgement(service: .apns, id: UUID().lowercased, token: "")
    (judgement.channel, judgement.pushType, judgement.priority) = (
      headers.channelID ?? "", headers.pushType, headers.priority
    )
    judgement.expiration = headers.expiration.flatMap(PushRules.number)
    do throws(Reason) {
      let app = try rules.checkBroadcastRoute(request)
      (judgement.app, judgement.topic) = (app, app)
      judgement.id = try PushRules.requestID(headers)
      let (provider, owner) = try self.owner(app, request, on: connection, now: now)
      judgement.provider = provider
      let channel = try channels.channel(headers.channelID, of: owner)
      judgement.payload = try PushRules.broadcastPayload(request, on: channel)
      judgement.pushType = PushType.liveactivity.rawValue
      judgement.isKept = channel.policy == .mostRecent && judgement.expiration != 0
      let target = Fault.Target(service: .apns, token: channel.id, topic: app, pushType: judgement.pushType)
      (judgement.effect, judgement.fault) = phones.effect(on: target) { _ in nil }
    } catch {
      judgement.effect = Effect(.refused(error))
    }
    return judgement
  }
}
