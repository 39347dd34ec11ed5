/// A request to `/3/device/…` as it arrived.
package struct PushRequest: Sendable {
  package var method: String
  package var path: String
  package var headers: PushHeaders
  package var body: [UInt8]

  package init(method: String, path: String, headers: PushHeaders, body: [UInt8]) {
    (self.method, self.path, self.headers, self.body) = (method, path, headers, body)
  }

  private static let prefix = "/3/device/"

  /// The device in the path, in lower case; `nil` for another path.
  package var token: String? {
    guard path.hasPrefix(Self.prefix) else { return nil }
    let token = path.utf8.dropFirst(Self.prefix.utf8.count)
    return token.contains(UInt8(ascii: "/")) ? nil : String(Substring(token)).lowercased()
  }

  /// Whether the path is that of a push, complete or not.
  package static func isPath(_ path: String) -> Bool { path.hasPrefix("/3/") }
}
