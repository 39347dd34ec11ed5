import HTTP2

/// A request to APNs as it arrived: for a push, a broadcast, or a channel.
struct PushRequest: Sendable {
  var method: String
  var path: String
  var headers: PushHeaders
  var body: [UInt8]

  private static let prefix = "/3/device/"

  /// The device in the path, in lower case; `nil` for another path.
  var token: String? {
    guard path.hasPrefix(Self.prefix) else { return nil }
    let token = path.utf8.dropFirst(Self.prefix.utf8.count)
    return token.contains(UInt8(ascii: "/")) ? nil : String(Substring(token)).lowercased()
  }

  /// Whether it is for a channel in place of a device.
  var isBroadcast: Bool { path.hasPrefix("/4/") }

  /// Whether a path is that of the channel management API, which Apple has on hosts of its own:
  /// `api-manage-broadcast.push.apple.com:2196` and `api-manage-broadcast.sandbox.push.apple.com:2195`.
  static func isChannelPath(_ path: String) -> Bool { path.hasPrefix("/1/") }

  /// Whether the path is that of a push or a broadcast, complete or not.
  static func isPath(_ path: String) -> Bool { path.hasPrefix("/3/") || path.hasPrefix("/4/") }
}

extension PushRequest {
  init(_ request: HTTP2Request) {
    var headers = PushHeaders()
    for header in request.headers { headers.add(header.name, header.value) }
    self.init(method: request.method, path: request.path, headers: headers, body: request.body)
  }
}
