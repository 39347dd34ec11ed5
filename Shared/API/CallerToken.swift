import FunctionKit
import HTTP1

extension HTTPRequest {
  /// The length of the longest token, in characters.
  private static let longestToken = 4_096

  /// The token that proves who calls; `nil` if there is none, or none of its form (RFC 6750).
  var bearerToken: String? {
    guard let field = headers.first(where: { $0.key.lowercased() == "authorization" })?.value,
      let token = BearerToken.shown(in: field), token.utf8.count <= Self.longestToken,
      token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return String(token)
  }
}
