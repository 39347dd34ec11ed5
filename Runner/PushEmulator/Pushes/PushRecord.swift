import FoundationEssentials
import FunctionKit

/// One request for a push, and its answer.
struct PushRecord: Sendable {
  /// Its number in the order of arrival, from 1; never used twice.
  let seq: Int
  let service: Service
  /// The device; APNs' in lower case.
  let token: String
  /// The device that shows it: another token than its own for a Live Activity.
  var phone: String { phoneOfActivity ?? token }
  /// The device of a Live Activity; `nil` for another push.
  var phoneOfActivity: String? {
    pushType == PushType.liveactivity.rawValue ? ActivityToken.phone(of: token) : nil
  }
  /// The channel of a broadcast; `nil` for a push to a device.
  let channel: String?
  /// The kind of notification: the payload's `type`, else its category, else the push type.
  let kind: String
  let topic: String?
  let pushType: String?
  let collapseID: String?
  /// The status that the sender saw; `nil` if it saw no answer.
  let status: Int?
  let reason: String?
  /// Whether it reached the device, or is kept for it.
  let isTaken: Bool
  let connection: Int
  let keyID: String?
  /// Everything about it, for `GET /pushes`, with only the header fields that were sent.
  let json: RawJSON

  /// - Parameters:
  ///   - storedOffline: for a device that is offline, whether the push is kept for it.
  ///   - missed: the tokens of the activities that a broadcast has not reached, because their phones are offline.
  init(
    seq: Int, receivedAt: Date, connection: Int, _ push: Judgement, storedOffline: Bool? = nil, missed: [String] = []
  ) {
    self.seq = seq
    service = push.service
    (token, channel) = (push.token, push.channel)
    kind = push.kind
    (topic, pushType, collapseID) = (push.topic, push.pushType, push.collapseID)
    let answer = push.effect.answer
    (status, reason) = (answer.status, answer.reason)
    isTaken = push.effect.isTaken
    self.connection = connection
    keyID = push.provider?.keyID
    var members = [
      ("seq", RawJSON(seq)), ("service", RawJSON(service.rawValue)),
      ("receivedAt", RawJSON(RFC3339.string(receivedAt))),
      ("kind", RawJSON(kind)), ("token", RawJSON(token)), (service == .fcm ? "name" : "apnsID", RawJSON(push.id)),
    ]
    if let channel { members.append(("channel", RawJSON(channel))) }
    if let collapseID { members.append(("collapseID", RawJSON(collapseID))) }
    if let pushType { members.append(("pushType", RawJSON(pushType))) }
    if let topic { members.append(("topic", RawJSON(topic))) }
    if let priority = push.priority {
      members.append(("priority", Int(priority).map { RawJSON($0) } ?? RawJSON(priority)))
    }
    if let expiration = push.expiration { members.append(("expiration", RawJSON(expiration))) }
    if let status { members.append(("status", RawJSON(status))) }
    if let reason { members.append(("reason", RawJSON(reason))) }
    members.append(("taken", RawJSON(isTaken)))
    if let fault = push.fault { members.append(("fault", RawJSON(fault))) }
    if let storedOffline { members.append(("offline", RawJSON(storedOffline ? "stored" : "discarded"))) }
    if !missed.isEmpty { members.append(("missed", RawJSON(array: missed.map { RawJSON($0) }))) }
    members.append(("connection", RawJSON(connection)))
    if let provider = push.provider { members.append(("provider", provider.json)) }
    if let payload = push.payload { members.append(("payload", payload.onOneLine)) }
    json = RawJSON(object: members)
  }

  /// Reads a record from its JSON; `nil` for other JSON.
  init?(_ json: RawJSON) {
    guard let seq = json["seq"]?.intValue, let token = json["token"]?.stringValue, let kind = json["kind"]?.stringValue
    else { return nil }
    (self.seq, self.token, self.kind, self.json) = (seq, token, kind, json)
    service = json["service"]?.stringValue.flatMap(Service.init) ?? .apns
    (topic, pushType) = (json["topic"]?.stringValue, json["pushType"]?.stringValue)
    (collapseID, channel) = (json["collapseID"]?.stringValue, json["channel"]?.stringValue)
    (status, reason) = (json["status"]?.intValue, json["reason"]?.stringValue)
    isTaken = json["taken"].map { $0.bytes.first == UInt8(ascii: "t") } ?? [nil, 200].contains(status)
    connection = json["connection"]?.intValue ?? 0
    keyID = json["provider"]?["keyID"]?.stringValue
  }
}

extension ProviderToken {
  fileprivate var json: RawJSON {
    let warnings = oddities.isEmpty ? [] : [("warnings", RawJSON(array: oddities.map { RawJSON($0.rawValue) }))]
    return RawJSON(
      object: [("keyID", RawJSON(keyID)), ("teamID", RawJSON(teamID)), ("issuedAt", RawJSON(issuedAt))] + warnings)
  }
}
