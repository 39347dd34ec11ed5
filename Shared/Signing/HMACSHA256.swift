import COpenSSL

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
  /// The 32 bytes that authenticate the message.
  package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    let made = HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, nil)
    // It fails only when OpenSSL has no memory left. A code of zeros would then authenticate anything.
    precondition(made != nil, "OpenSSL cannot compute an HMAC")
    return code
  }

  /// Whether the code authenticates the message.
  ///
  /// The time this takes does not depend on where the codes differ.
  package static func isValid(_ code: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
    constantTimeEqual(code, self.code(for: message, key: key))
  }
}

/// Whether two secrets are equal.
///
/// The time this takes shows only whether their lengths are equal.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
