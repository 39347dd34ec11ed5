import COpenSSL

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
public enum HMACSHA256 {
  /// The 32 bytes that authenticate the message.
  public static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    let made = HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, nil)
    // It fails only when OpenSSL has no memory left; a code of zeros would then authenticate anything.
    precondition(made != nil, "OpenSSL cannot compute an HMAC")
    return code
  }

  /// Whether the code authenticates the message; this takes the same time no matter where the codes differ.
  public static func isValid(_ code: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
    constantTimeEqual(code, self.code(for: message, key: key))
  }
}

/// Whether two secrets are equal; the time taken tells only whether their lengths are.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
