/// A request to `/3/device/…` as it arrived.
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

  /// Whether the path is that of a push, complete or not.
  static func isPath(_ path: String) -> Bool { path.hasPrefix("/3/") }
}
