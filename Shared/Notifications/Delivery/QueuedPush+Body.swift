extension QueuedPush {
  /// APNs takes this many bytes of payload.
  public static let payloadLimit = 4_096

  /// The bytes to send: the payload with the badge put in; `nil` when it is too large.
  ///
  /// A badge that would carry the payload over the limit is left out: an old badge is better than no push.
  public var body: [UInt8]? {
    let plain = Array(payload.utf8)
    guard plain.count <= Self.payloadLimit else { return nil }
    let opening = Array(#"{"aps":{"#.utf8)
    guard let badge, plain.starts(with: opening) else { return plain }
    let rest = plain[opening.count...]
    let body = opening + Array("\"badge\":\(badge)\(rest.first == UInt8(ascii: "}") ? "" : ",")".utf8) + rest
    return body.count <= Self.payloadLimit ? body : plain
  }
}
