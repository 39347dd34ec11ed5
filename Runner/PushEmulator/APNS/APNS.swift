import FoundationEssentials
import FunctionKit

/// APNs as a value: requests and the time go in, answers come out.
struct APNS: Sendable {
  let rules: PushRules
  var devices = DeviceRegistry()
  private var tokens: ProviderTokens

  init(key: ProviderKey, rules: PushRules = PushRules()) {
    tokens = ProviderTokens(key: key)
    self.rules = rules
  }

  /// A judged request.
  struct Judgement: Sendable {
    let answer: Answer
    /// The sender's, where it is usable, else a new one.
    let id: String
    /// The device, as far as the path names one.
    let token: String?
    /// The payload, where the request got as far as its check.
    let payload: RawJSON?
    /// The provider token, where it is valid.
    let provider: ProviderToken?
  }

  /// Judges a request in APNs' order: route, provider token, header fields, payload, device.
  mutating func judge(_ request: PushRequest, now: Date) -> Judgement {
    var provider: ProviderToken?
    var payload: RawJSON?
    var answer: Answer
    do throws(Reason) {
      let token = try rules.checkRoute(request)
      if request.headers.hasDuplicates { throw .duplicateHeaders }
      provider = try tokens.token(in: request.headers.authorization, now: Int(now.timeIntervalSince1970))
      payload = try rules.check(request, token: token)
      answer = devices.nextAnswer(for: token)
    } catch {
      answer = .refused(error)
    }
    let sent = request.headers.id.flatMap { PushRules.isCanonicalUUID($0) ? $0 : nil }
    let id = sent ?? UUID().uuidString.lowercased()
    return Judgement(answer: answer, id: id, token: request.token, payload: payload, provider: provider)
  }
}
