import Formats
import FunctionKit
import Signing

/// The JWT with which a service account asks for an access token.
///
/// Its signature is not verified yet.
struct Assertion: Sendable {
  let algorithm: String?
  let issuer: String?
  let audience: String?
  let scopes: [String]
  /// Seconds since 1970.
  let issuedAt: Int?
  let expiresAt: Int?
  let signature: [UInt8]
  let signedBytes: [UInt8]

  /// Returns `nil` if the text is not a JWT.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.json(parts[0]), let claims = Self.json(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { return nil }
    algorithm = header["alg"]?.stringValue
    issuer = claims["iss"]?.stringValue
    audience = claims["aud"]?.stringValue
    scopes = (claims["scope"]?.stringValue ?? "").split(separator: " ").map(String.init)
    (issuedAt, expiresAt) = (claims["iat"]?.intValue, claims["exp"]?.intValue)
    self.signature = signature
    signedBytes = Array("\(parts[0]).\(parts[1])".utf8)
  }

  private static func json(_ part: Substring) -> RawJSON? {
    Base64URL.decode(part).flatMap { try? RawJSON(validating: $0[...]) }
  }
}
