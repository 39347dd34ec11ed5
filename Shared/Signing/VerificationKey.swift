/// The public half of a `SigningKey`.
package final class VerificationKey: Sendable {
  let handle: KeyHandle

  /// The key of a PEM text (`PUBLIC KEY`).
  package init(pem: String) throws(SigningError) {
    handle = try KeyHandle.publicKey(pem: pem)
    guard handle.isP256 else { throw .wrongKind(expected: "an EC key on P-256") }
  }

  /// The key as PEM, `PUBLIC KEY`.
  package func pem() throws(SigningError) -> String {
    try handle.publicPEM()
  }

  /// Whether the private half made this signature (64 bytes, R and S) over these bytes.
  package func verify(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    guard let der = ECDSASignature.der(fromRaw: signature) else { return false }
    return handle.verify(der, of: bytes)
  }

  /// Whether the private half made this signature over these bytes, in OpenSSL's DER instead of the 64 bytes of JWS.
  package func verify(der signature: [UInt8], of bytes: [UInt8]) -> Bool {
    handle.verify(signature, of: bytes)
  }
}
