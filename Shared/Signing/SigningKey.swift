/// A private key for ES256: ECDSA on P-256 with SHA-256 (RFC 7518 §3.4), as in Apple's `.p8` files.
package final class SigningKey: Sendable {
  private let handle: KeyHandle

  private init(_ handle: KeyHandle) {
    self.handle = handle
  }

  /// The key of a PEM text (`PRIVATE KEY` or `EC PRIVATE KEY`, without passphrase).
  package convenience init(pem: String) throws(SigningError) {
    let handle = try KeyHandle.privateKey(pem: pem)
    guard handle.isP256 else { throw .wrongKind(expected: "an EC key on P-256") }
    self.init(handle)
  }

  /// A new random key.
  package static func generate() throws(SigningError) -> SigningKey {
    SigningKey(try KeyHandle.generateP256())
  }

  /// The secret itself, as PKCS #8 PEM, as in Apple's `.p8` files.
  package func privatePEM() throws(SigningError) -> String {
    try handle.privatePEM()
  }

  /// The key that verifies this one's signatures.
  package func verificationKey() throws(SigningError) -> VerificationKey {
    try VerificationKey(pem: try handle.publicPEM())
  }

  /// The signature over the bytes: always 64 bytes, R and S of 32 bytes each.
  ///
  /// It is random, so it is never the same twice.
  package func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] {
    try ECDSASignature.raw(fromDER: try handle.sign(bytes))
  }
}

extension SigningKey: CustomStringConvertible {
  /// Without the secret.
  package var description: String { "SigningKey(ES256)" }
}
