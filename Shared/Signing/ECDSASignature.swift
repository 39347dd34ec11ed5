import COpenSSL

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
