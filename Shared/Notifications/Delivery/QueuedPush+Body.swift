extension QueuedPush {
  /// The largest payload that APNs accepts, in bytes.
  package static let payloadLimit = 4_096

  /// The payload with the badge, to send; `nil` if it is too large.
  ///
  /// A badge that would make the payload too large is left out: an old badge is better than no push. A background push
  /// has no badge.
  package var body: [UInt8]? {
    let plain = payload.utf8
    guard plain.count <= Self.payloadLimit else { return nil }
    guard let badge, PushType(rawValue: pushType)?.hasBadge ?? true, plain.starts(with: Self.opening) else {
      return Array(plain)
    }
    var body: [UInt8] = []
    body.reserveCapacity(plain.count + 24)
    body += Self.opening
    body += "\"badge\":\(badge)".utf8
    let rest = plain.dropFirst(Self.opening.count)
    if rest.first != UInt8(ascii: "}") { body.append(UInt8(ascii: ",")) }
    body += rest
    return body.count <= Self.payloadLimit ? body : Array(plain)
  }

  private static let opening = Array(#"{"aps":{"#.utf8)
}
