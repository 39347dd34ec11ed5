import Formats
import FoundationEssentials

/// Makes texts that only the owner of a secret can make, and reads them again.
///
/// A text is a message and its HMAC-SHA256, both in base64url, with a point between them.
package struct MessageAuthenticator: Sendable {
  private let keys: [[UInt8]]

  /// An authenticator with the secrets of a text, separated by spaces.
  ///
  /// The first one signs; all are accepted.
  ///
  /// A secret is `whsec_` and the Base64 of 24 to 64 bytes, or a text of at least 32 bytes. The result is `nil` if a
  /// secret is neither, or if there is none.
  package init?(secrets: String) {
    var keys: [[UInt8]] = []
    for secret in secrets.split(separator: " ") {
      guard let key = Self.key(secret) else { return nil }
      keys.append(key)
    }
    guard !keys.isEmpty else { return nil }
    self.keys = keys
  }

  /// The message with its code.
  package func sign(_ message: [UInt8]) -> String {
    let text = Base64URL.encode(message)
    return "\(text).\(Base64URL.encode(HMACSHA256.code(for: Array(text.utf8), key: keys[0])))"
  }

  /// The message of a text that was made with one of the secrets; `nil` for any other text.
  package func message(of signed: String) -> [UInt8]? {
    let parts = signed.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let code = Base64URL.decode(parts[1]) else { return nil }
    let text = Array(parts[0].utf8)
    guard keys.contains(where: { HMACSHA256.isValid(code, for: text, key: $0) }) else { return nil }
    return Base64URL.decode(parts[0])
  }

  private static func key(_ secret: Substring) -> [UInt8]? {
    guard secret.hasPrefix("whsec_") else { return secret.utf8.count >= 32 ? Array(secret.utf8) : nil }
    let key = Data(base64Encoded: String(secret.dropFirst(6)))
    return key.flatMap { (24...64).contains($0.count) ? Array($0) : nil }
  }
}
