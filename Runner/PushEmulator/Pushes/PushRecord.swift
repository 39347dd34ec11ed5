import FoundationEssentials
import FunctionKit

/// One request for a push as it was received and answered.
struct PushRecord: Sendable {
  /// Its place in the order of arrival, from 1; never used twice.
  let seq: Int
  /// The device, in lower case.
  let token: String
  /// The kind of notification: the payload's `type`, else its category, else the push type.
  let kind: String
  /// Everything about it, as `GET /pushes` shows it; header fields that were not sent are not there.
  let json: RawJSON

  init(seq: Int, receivedAt: Date, connection: Int, _ request: PushRequest, _ judgement: APNS.Judgement) {
    let headers = request.headers
    let payload = judgement.payload
    self.seq = seq
    token = judgement.token ?? ""
    kind =
      payload?["type"]?.stringValue ?? payload?["aps"]?["category"]?.stringValue ?? headers.pushType
      ?? PushType.alert.rawValue
    let members: [(String, RawJSON?)] = [
      ("seq", RawJSON(seq)), ("receivedAt", RawJSON(RFC3339.string(receivedAt))), ("kind", RawJSON(kind)),
      ("token", RawJSON(token)), ("apnsID", RawJSON(judgement.id)),
      ("collapseID", headers.collapseID.map { RawJSON($0) }), ("pushType", headers.pushType.map { RawJSON($0) }),
      ("topic", headers.topic.map { RawJSON($0) }),
      ("priority", headers.priority.flatMap(PushRules.number).map { RawJSON($0) }),
      ("expiration", headers.expiration.flatMap(PushRules.number).map { RawJSON($0) }),
      ("status", judgement.answer.status.map { RawJSON($0) }), ("reason", judgement.answer.reason.map { RawJSON($0) }),
      ("connection", RawJSON(connection)), ("provider", judgement.provider.map(Self.claims)),
      ("payload", payload?.onOneLine),
    ]
    json = RawJSON(object: members.compactMap { name, value in value.map { (name, $0) } })
  }

  /// A record read back from its JSON; `nil` where that is not one.
  init?(_ json: RawJSON) {
    guard let seq = json["seq"]?.intValue, let token = json["token"]?.stringValue, let kind = json["kind"]?.stringValue
    else { return nil }
    (self.seq, self.token, self.kind, self.json) = (seq, token, kind, json)
  }

  private static func claims(_ token: ProviderToken) -> RawJSON {
    RawJSON(object: [
      ("keyID", RawJSON(token.keyID)), ("teamID", RawJSON(token.teamID)), ("issuedAt", RawJSON(token.issuedAt)),
    ])
  }
}
