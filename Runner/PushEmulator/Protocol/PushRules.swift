import FunctionKit

/// APNs' rules for a request, except for its provider token.
struct PushRules: Sendable {
  /// The bundle ids that the key may push to; empty means all.
  var bundleIDs: Set<String> = []

  /// Checks the request line: `POST /3/device/<token>`.
  func checkRoute(_ request: PushRequest) throws(Reason) -> String {
    guard let token = request.token else { throw .badPath }
    guard request.method == "POST" else { throw .methodNotAllowed }
    guard !token.isEmpty else { throw .missingDeviceToken }
    return token
  }

  /// Checks header fields, device token and payload; returns the payload and the app's bundle id.
  ///
  /// - Parameter topics: the bundle ids that the key is for; empty means all.
  func check(
    _ request: PushRequest, token: String, topics: Set<String> = []
  ) throws(Reason) -> (payload: RawJSON, bundleID: String) {
    let headers = request.headers
    guard headers.id.map(Self.isCanonicalUUID) ?? true else { throw .badMessageID }
    guard headers.expiration.map({ Self.number($0) != nil }) ?? true else { throw .badExpirationDate }
    guard headers.collapseID.map({ (1...64).contains($0.utf8.count) }) ?? true else { throw .badCollapseID }
    let type = try pushType(headers)
    try checkPriority(headers, type)
    let bundleID = try bundleID(headers, type)
    guard topics.isEmpty || topics.contains(bundleID) else { throw .topicDisallowed }
    guard Self.isDeviceToken(token) else { throw .badDeviceToken }
    return (try payload(request.body, type), bundleID)
  }

  /// Apple requires the type on watchOS and recommends it elsewhere.
  ///
  /// Without it a push is an alert.
  private func pushType(_ headers: PushHeaders) throws(Reason) -> PushType {
    guard let name = headers.pushType else {
      if headers.topic?.hasSuffix(".watchkitapp") == true { throw .missingPushType }
      return headers.topic.flatMap(PushType.owner) ?? .alert
    }
    guard let type = PushType(rawValue: name) else { throw .invalidPushType }
    return type
  }

  /// 10 if it is missing, which is an error for background pushes, too.
  private func checkPriority(_ headers: PushHeaders, _ type: PushType) throws(Reason) {
    let priority = headers.priority ?? "10"
    guard type.priorities.contains(priority) else { throw .badPriority }
  }

  private func bundleID(_ headers: PushHeaders, _ type: PushType) throws(Reason) -> String {
    guard let topic = headers.topic, !topic.isEmpty else { throw .missingTopic }
    guard topic.utf8.count <= 255, topic.utf8.allSatisfy(Self.isBundleIDByte) else { throw .badTopic }
    guard topic.hasSuffix(type.topicSuffix),
      ![.alert, .background].contains(type) || PushType.owner(ofTopic: topic) == nil
    else { throw .topicDisallowed }
    let bundleID = String(topic.dropLast(type.topicSuffix.count))
    guard bundleIDs.isEmpty || bundleIDs.contains(bundleID) else { throw .topicDisallowed }
    return bundleID
  }

  /// APNs has no reason for a payload that is not a JSON object.
  private func payload(_ body: [UInt8], _ type: PushType) throws(Reason) -> RawJSON {
    guard body.count <= type.payloadLimit else { throw .payloadTooLarge }
    guard let payload = try? RawJSON(validating: body[...]), payload.kind == .object else { throw .payloadEmpty }
    return payload
  }
}

extension PushRules {
  /// Apple says not to rely on a length.
  ///
  /// All known tokens have 32 bytes, and none has more than 100.
  static func isDeviceToken(_ token: String) -> Bool {
    (64...200).contains(token.utf8.count) && token.utf8.count.isMultiple(of: 2) && token.utf8.allSatisfy(isHexDigit)
  }

  /// Lower case, 8-4-4-4-12, as Apple describes `apns-id`.
  static func isCanonicalUUID(_ text: String) -> Bool {
    text.utf8.count == 36
      && text.utf8.enumerated().allSatisfy { [8, 13, 18, 23].contains($0) ? $1 == UInt8(ascii: "-") : isHexDigit($1) }
  }

  /// UNIX seconds, which may be 0, without sign or fraction.
  static func number(_ text: String) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func isBundleIDByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
