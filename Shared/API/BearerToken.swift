import FunctionKit

/// The token of `Authorization: Bearer TOKEN` (RFC 6750).
enum BearerToken {
  /// The length of the longest token, in characters.
  private static let longest = 4_096

  static func shown(by request: HTTPRequest) -> String? {
    guard let field = request.headers.first(where: { $0.key.lowercased() == "authorization" })?.value else {
      return nil
    }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    let token = parts[1]
    guard (1...longest).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return nil
    }
    return String(token)
  }
}
