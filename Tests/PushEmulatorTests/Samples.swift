import FoundationEssentials

@testable import PushEmulator

/// Requests that APNs would accept; tests spoil them.
enum Samples {
  static let now = Date(timeIntervalSince1970: 1_800_000_000)
  static let token = String(repeating: "ab", count: 32)
  static let topic = "com.example.app"

  static func headers(_ changes: [String: String?] = [:]) -> PushHeaders {
    var fields: [String: String?] = [
      "authorization": SampleKey.usual, "apns-topic": topic, "apns-push-type": "alert", "apns-priority": "10",
      "apns-expiration": "1800003600", "apns-id": "123e4567-e89b-12d3-a456-4266554400a0",
    ]
    fields.merge(changes) { $1 }
    var headers = PushHeaders()
    for (name, value) in fields { value.map { headers.add(name, $0) } }
    return headers
  }

  static func request(
    _ changes: [String: String?] = [:], method: String = "POST", path: String = "/3/device/\(token)",
    body: String = #"{"aps":{"alert":{"title":"T","body":"B"}},"type":"new_vote"}"#
  ) -> PushRequest {
    PushRequest(method: method, path: path, headers: headers(changes), body: Array(body.utf8))
  }

  static func record(
    _ seq: Int, _ changes: [String: String?] = [:], token: String = token,
    body: String = #"{"aps":{"alert":{"title":"T","body":"B"}},"type":"new_vote"}"#,
    device change: DeviceChange? = nil
  ) -> PushRecord {
    var apns = SampleAPNS()
    change.map { apns.phones.registry.apply($0, to: .token(token)) }
    let request = request(changes, path: "/3/device/\(token)", body: body)
    return PushRecord(seq: seq, receivedAt: now, connection: 1, apns.judge(request))
  }
}

/// APNs with one key, as one connection sees it.
struct SampleAPNS {
  var apns: APNS
  var phones = Phones()
  var connection: Connection

  init(_ key: ProviderKey = SampleKey.provider, rules: PushRules = PushRules(), face: Face = .production) {
    apns = APNS(tokens: ProviderTokens(keys: ProviderKeys([key])), rules: rules)
    connection = Connection(number: 1, face: face, peer: "", openedAt: Samples.now)
  }

  mutating func judge(_ request: PushRequest, now: Date = Samples.now) -> Judgement {
    apns.judge(request, on: connection, to: &phones, now: now)
  }

  mutating func answer(to request: PushRequest, now: Date = Samples.now) -> Answer {
    judge(request, now: now).effect.answer
  }
}

extension DeviceChange {
  static func unregistered(since: Int) -> DeviceChange {
    var change = DeviceChange()
    change.registration = .unregistered(since: since)
    return change
  }

  static func answers(_ answers: [Answer]) -> DeviceChange {
    var change = DeviceChange()
    change.answers = answers.map { Effect($0) }
    return change
  }

  static var registered: DeviceChange {
    var change = DeviceChange()
    change.registration = .registered
    return change
  }
}
