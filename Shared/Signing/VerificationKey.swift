/// The public half of a `SigningKey`.
public final class VerificationKey: Sendable {
  let handle: KeyHandle

  /// The key of a PEM text (`PUBLIC KEY`).
  public init(pem: String) throws(SigningError) {
    handle = try KeyHandle.publicKey(pem: pem)
    guard handle.isP256 else { throw .wrongKind(expected: "an EC key on P-256") }
  }

  /// As `PUBLIC KEY` PEM.
  public func pem() throws(SigningError) -> String {
    try handle.publicPEM()
  }

  /// Whether the signature (64 bytes, R and S) was made over these bytes by the other half.
  public func verify(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    guard let der = ECDSASignature.der(fromRaw: signature) else { return false }
    return handle.verify(der, of: bytes)
  }
}
