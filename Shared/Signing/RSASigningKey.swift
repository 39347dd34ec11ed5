import COpenSSL

/// A private key for RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3), as in Google's service accounts.
package final class RSASigningKey: Sendable {
  let handle: KeyHandle

  init(handle: KeyHandle) {
    self.handle = handle
  }

  /// The key of a PEM text without passphrase.
  package init(pem: String) throws(SigningError) {
    handle = try KeyHandle.privateKey(pem: pem)
    guard handle.isRSA else { throw .wrongKind(expected: "an RSA key") }
  }

  /// The signature over the bytes, as long as the key's modulus.
  package func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] {
    try handle.sign(bytes)
  }

  /// Whether the signature was made over these bytes by this key.
  package func verify(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    handle.verify(signature, of: bytes)
  }

  /// Makes a new random key of 2,048 bits, which takes about a tenth of a second.
  package static func generate() throws(SigningError) -> RSASigningKey {
    RSASigningKey(handle: try KeyHandle(adopting: shim_EVP_RSA_gen(2_048)))
  }

  /// The secret itself, as PKCS #8 PEM, as in Google's service accounts.
  package func privatePEM() throws(SigningError) -> String {
    try handle.privatePEM()
  }
}

extension RSASigningKey: CustomStringConvertible {
  /// Without the secret.
  package var description: String { "RSASigningKey(RS256)" }
}
