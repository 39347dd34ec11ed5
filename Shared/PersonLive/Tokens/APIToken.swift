public import FoundationEssentials
public import FunctionKit
import Glibc

/// Somebody who showed a token of theirs.
public struct Person: Sendable, Equatable {
  /// The row of `users`.
  public let id: UUID

  /// A person by their id.
  public init(id: UUID) { self.id = id }
}

/// What is known of a token that was issued; the token itself is not.
public struct TokenListing: Sendable, Encodable {
  /// By which it is revoked, a UUID in lower case.
  public let id: String
  /// What it is for.
  public let name: String
  /// When it was issued.
  public let createdAt: Date
  /// When it ends.
  public let expiresAt: Date
}

/// A token at the only moment when it can be read.
public struct IssuedToken: Sendable {
  /// What stays known of it.
  public let listing: TokenListing
  /// What its bearer shows.
  public let token: Secret<String>
}

/// How tokens look: `pf_` and 256 random bits in base64url.
enum APIToken {
  static func make() -> String {
    var random = [UInt8](repeating: 0, count: 32)
    random.withUnsafeMutableBytes { bytes in
      while getentropy(bytes.baseAddress, bytes.count) != 0 {}
    }
    let text = Data(random).base64EncodedString().map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    return "pf_" + String(text.filter { $0 != "=" })
  }

  /// A token has 256 random bits: no salt and no slow hash makes it harder to guess.
  static func hash(_ token: String) -> String { SHA256.hex(Array(token.utf8)) }
}
