import Formats
package import FoundationEssentials
package import FunctionKit
import Platform

/// A person who sent a valid token.
package struct Person: Sendable, Equatable {
  /// The row of `users`.
  package let id: UUID

  package init(id: UUID) { self.id = id }
}

/// The facts about an issued token, without the token itself.
package struct TokenListing: Sendable, Encodable {
  /// The id to revoke it by, a UUID in lower case.
  package let id: String
  /// The purpose of the token.
  package let name: String
  /// When it was issued.
  package let createdAt: Date
  /// When it ends.
  package let expiresAt: Date
}

/// A new token; it cannot be read again later.
package struct IssuedToken: Sendable {
  /// The stored facts.
  package let listing: TokenListing
  /// The bearer token.
  package let token: Secret<String>
}

/// The form of tokens: `pf_` and 256 random bits in base64url.
enum APIToken {
  static func make() -> String {
    var random = [UInt8](repeating: 0, count: 32)
    random.withUnsafeMutableBytes { Randomness.fill($0) }
    return "pf_\(Base64URL.encode(random))"
  }

  /// A token has 256 random bits, so neither a salt nor a slow hash would make it harder to guess.
  static func hash(_ token: String) -> String { SHA256.hex(Array(token.utf8)) }
}
