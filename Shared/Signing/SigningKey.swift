import COpenSSL

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

/// The two forms of an ECDSA signature on P-256.
///
/// OpenSSL uses DER without leading zeros, mostly 69 to 72 bytes. JWS needs R and S, each padded to 32 bytes.
enum ECDSASignature {
  private static let half = 32

  static func raw(fromDER der: [UInt8]) throws(SigningError) -> [UInt8] {
    let signature = der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &position, bytes.count)
    }
    guard let signature else { throw .failed(reason: openSSLReason()) }
    defer { ECDSA_SIG_free(signature) }
    var raw = [UInt8](repeating: 0, count: 2 * half)
    let isPadded = raw.withUnsafeMutableBufferPointer { bytes in
      BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes.baseAddress, Int32(half)) == half
        && BN_bn2binpad(ECDSA_SIG_get0_s(signature), bytes.baseAddress?.advanced(by: half), Int32(half)) == half
    }
    guard isPadded else { throw .failed(reason: "signature longer than 64 bytes") }
    return raw
  }

  /// Nil unless the signature has 64 bytes.
  static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
    guard raw.count == 2 * half, let signature = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(signature) }
    let r = BN_bin2bn(Array(raw.prefix(half)), Int32(half), nil)
    let s = BN_bin2bn(Array(raw.suffix(half)), Int32(half), nil)
    guard ECDSA_SIG_set0(signature, r, s) == 1 else {
      BN_free(r)
      BN_free(s)
      return nil
    }
    var der = [UInt8](repeating: 0, count: Int(i2d_ECDSA_SIG(signature, nil)))
    der.withUnsafeMutableBufferPointer { bytes in
      var position = bytes.baseAddress
      _ = i2d_ECDSA_SIG(signature, &position)
    }
    return der
  }
}
