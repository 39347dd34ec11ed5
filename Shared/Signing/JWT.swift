import Formats
import FoundationEssentials

/// A JSON Web Token signed with ES256, as APNs wants it from its providers.
///
/// Header `alg` and `kid`; claims `iss` and `iat`, a JSON number of seconds since 1970.
package struct JWT: Sendable {
  /// The header's `alg`.
  package let algorithm: String
  /// The header's `kid`.
  package let keyID: String?
  /// The claim `iss`.
  package let issuer: String?
  /// The claim `iat`.
  package let issuedAt: Double?

  private let signedBytes: [UInt8]
  private let signature: [UInt8]

  /// Reads the parts of a token, strictly.
  ///
  /// `isSigned` tells whether the token is genuine.
  package init(parsing text: String) throws(SigningError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .malformedToken(reason: "not three parts") }
    let header: Header = try Self.decode(parts[0], as: "header")
    let claims: Claims = try Self.decode(parts[1], as: "claims")
    guard let signature = Base64URL.decode(parts[2]) else {
      throw .malformedToken(reason: "the signature is not base64url without padding")
    }
    algorithm = header.alg
    keyID = header.kid
    issuer = claims.iss
    issuedAt = claims.iat
    signedBytes = Array("\(parts[0]).\(parts[1])".utf8)
    self.signature = signature
  }

  /// Whether the owner of that key has made this token with ES256.
  package func isSigned(by key: VerificationKey) -> Bool {
    algorithm == "ES256" && key.verify(signature, of: signedBytes)
  }

  /// A new token.
  ///
  /// - Parameters:
  ///   - keyID: names the key (`kid`); 10 characters at Apple.
  ///   - issuer: `iss`; the team's 10 characters at Apple.
  ///   - issuedAt: `iat`, seconds since 1970.
  package static func signed(
    with key: SigningKey, keyID: String, issuer: String, issuedAt: Int
  ) throws(SigningError) -> String {
    let header = try encode(Header(alg: "ES256", kid: keyID))
    let claims = try encode(IntegerClaims(iss: issuer, iat: issuedAt))
    let signedText = "\(header).\(claims)"
    return "\(signedText).\(Base64URL.encode(try key.sign(Array(signedText.utf8))))"
  }

  private struct Header: Codable {
    let alg: String
    let kid: String?
  }

  private struct Claims: Decodable {
    let iss: String?
    let iat: Double?
  }

  // Some encoders write a Double of this size with an exponent.
  private struct IntegerClaims: Encodable {
    let iss: String
    let iat: Int
  }

  private static func encode(_ value: some Encodable) throws(SigningError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(value) else { throw .malformedToken(reason: "not JSON") }
    return Base64URL.encode(Array(json))
  }

  private static func decode<Value: Decodable>(_ part: Substring, as name: String) throws(SigningError) -> Value {
    guard let bytes = Base64URL.decode(part) else {
      throw .malformedToken(reason: "the \(name) is not base64url without padding")
    }
    guard let value = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else {
      throw .malformedToken(reason: "the \(name) is not the expected JSON object")
    }
    return value
  }
}
