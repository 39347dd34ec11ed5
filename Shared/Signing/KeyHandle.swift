import COpenSSL

/// An OpenSSL key, freed with its last owner.
final class KeyHandle: Sendable {
  // Never changed after init. OpenSSL lets several threads use one EVP_PKEY, each with its own context.
  nonisolated(unsafe) let pointer: OpaquePointer

  init(adopting pointer: OpaquePointer?) throws(SigningError) {
    guard let pointer else { throw .failed(reason: openSSLReason()) }
    self.pointer = pointer
  }

  deinit {
    EVP_PKEY_free(pointer)
  }

  static func generateP256() throws(SigningError) -> KeyHandle {
    try KeyHandle(adopting: shim_EVP_EC_gen("P-256"))
  }

  static func privateKey(pem: String) throws(SigningError) -> KeyHandle {
    try read(pem) { PEM_read_bio_PrivateKey($0, nil, refusePassphrase, nil) }
  }

  static func publicKey(pem: String) throws(SigningError) -> KeyHandle {
    try read(pem) { PEM_read_bio_PUBKEY($0, nil, refusePassphrase, nil) }
  }

  var isP256: Bool { curve == "prime256v1" }

  /// The kind of key, such as "an EC key on secp384r1".
  var kind: String {
    if let curve { return "an EC key on \(curve)" }
    return isRSA ? "an RSA key" : EVP_PKEY_get0_type_name(pointer).map { "a key of \(String(cString: $0))" } ?? "a key"
  }

  /// The name of an EC key's curve; `nil` for another key.
  private var curve: String? {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard EVP_PKEY_is_a(pointer, "EC") == 1,
      EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1
    else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var isRSA: Bool { EVP_PKEY_is_a(pointer, "RSA") == 1 }

  /// The signature over the SHA-256 of the bytes: DER for ECDSA, PKCS #1 v1.5 for RSA.
  func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(pointer)))
    var length = signature.count
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1,
      EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1
    else { throw .failed(reason: openSSLReason()) }
    signature.removeLast(signature.count - length)
    return signature
  }

  func verify(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    let context = EVP_MD_CTX_new()
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1
      && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
  }

  private static func read(
    _ pem: String, with reader: (OpaquePointer?) -> OpaquePointer?
  ) throws(SigningError) -> KeyHandle {
    guard let key = withReadingBIO(pem, reader) else { throw .unreadableKey(reason: openSSLReason()) }
    return try KeyHandle(adopting: key)
  }

  func privatePEM() throws(SigningError) -> String {
    try textWritten { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
  }

  func publicPEM() throws(SigningError) -> String {
    try textWritten { PEM_write_bio_PUBKEY($0, pointer) }
  }
}

/// Without this callback OpenSSL would ask for the passphrase on the terminal.
private func refusePassphrase(
  _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 {
  -1
}

func withReadingBIO<Value>(_ text: String, _ body: (OpaquePointer?) -> Value) -> Value {
  var text = text
  return text.withUTF8 { bytes in
    let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
    defer { BIO_free(bio) }
    return body(bio)
  }
}

/// The text that `write` puts into a memory BIO; nil when it returns 0.
func textWritten(by write: (OpaquePointer?) -> Int32) throws(SigningError) -> String {
  let bio = BIO_new(BIO_s_mem())
  defer { BIO_free(bio) }
  var bytes: UnsafeMutablePointer<CChar>?
  guard write(bio) == 1 else { throw .failed(reason: openSSLReason()) }
  let count = shim_BIO_get_mem_data(bio, &bytes)
  return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
}

/// The reason of the oldest error in this thread's OpenSSL queue.
///
/// The queue is empty after that.
func openSSLReason() -> String {
  let code = ERR_get_error()
  ERR_clear_error()
  guard let reason = ERR_reason_error_string(code) else { return "error \(code)" }
  return String(cString: reason)
}
