import Formats
import FoundationEssentials
import FunctionKit

/// APNs as a value: it takes requests and the time, and returns answers.
struct APNS: Sendable {
  let rules: PushRules
  var tokens: ProviderTokens
  var channels: BroadcastChannels

  init(
    tokens: ProviderTokens, rules: PushRules = PushRules(), channels: BroadcastChannels = BroadcastChannels()
  ) {
    (self.tokens, self.rules, self.channels) = (tokens, rules, channels)
  }

  /// Checks a request in APNs' order: route, provider token, header fields, payload, device.
  mutating func judge(
    _ request: PushRequest, on connection: Connection, to phones: inout Phones, now: Date
  ) -> Judgement {
    if request.isBroadcast { return judgeBroadcast(request, on: connection, to: &phones, now: now) }
    var judgement = Judgement(request, request.headers.id.flatMap { PushRules.isCanonicalUUID($0) ? $0 : nil })
    do throws(Reason) {
      let token = try rules.checkRoute(request)
      if request.headers.hasDuplicates { throw .duplicateHeaders }
      let provider = try tokens.token(in: request.headers.authorization, on: connection, now: now)
      judgement.provider = provider
      let checked = try rules.check(request, token: token, topics: tokens.keys[provider.keyID]?.topics ?? [])
      judgement.payload = checked.payload
      judgement.app = checked.bundleID
      let target = Fault.Target(
        service: .apns, token: token, topic: request.headers.topic, pushType: request.headers.pushType)
      let refusal = phones.activities.refusal(token, request.headers.pushType, at: now)
      (judgement.effect, judgement.fault) = phones.effect(on: target) {
        $0.refusal(token, connection.face.environment, bundleID: checked.bundleID) ?? refusal
      }
    } catch {
      judgement.effect = Effect(.refused(error))
    }
    return judgement
  }
}

extension Judgement {
  fileprivate init(_ request: PushRequest, _ id: String?) {
    let headers = request.headers
    self.init(service: .apns, id: id ?? UUID().lowercased, token: request.token ?? "")
    collapseID = headers.collapseID
    pushType = headers.pushType
    topic = headers.topic
    priority = headers.priority
    expiration = headers.expiration.flatMap(PushRules.number)
  }
}
