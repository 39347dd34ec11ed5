import COpenSSL

/// An X.509 certificate, freed with its last owner.
final class Certificate: Sendable {
  // Only the thread that makes it changes it, before others see it. After that OpenSSL only reads it.
  nonisolated(unsafe) private let pointer: OpaquePointer

  init(pem: String) throws(SigningError) {
    guard let pointer = withReadingBIO(pem, { PEM_read_bio_X509($0, nil, nil, nil) }) else {
      throw .unusableCertificate(reason: openSSLReason())
    }
    self.pointer = pointer
  }

  /// A certificate that is not signed yet.
  ///
  /// It is valid from five minutes ago, because clocks differ.
  init(subject: String, key: KeyHandle, days: Int) throws(SigningError) {
    guard let pointer = X509_new() else { throw .failed(reason: openSSLReason()) }
    self.pointer = pointer
    // RFC 5280 §4.1.2.2: positive, unique, and at most 20 bytes.
    let serial = Int64.random(in: 1...Int64.max)
    let name = Array(subject.utf8)
    try check(X509_set_version(pointer, 2))
    try check(ASN1_INTEGER_set_int64(X509_get_serialNumber(pointer), serial))
    try check(X509_gmtime_adj(X509_getm_notBefore(pointer), -300) != nil ? 1 : 0)
    try check(X509_gmtime_adj(X509_getm_notAfter(pointer), days * 86_400 - 300) != nil ? 1 : 0)
    try check(
      X509_NAME_add_entry_by_NID(
        X509_get_subject_name(pointer), NID_commonName, MBSTRING_UTF8, name, Int32(name.count), -1, 0))
    try check(X509_set_pubkey(pointer, key.pointer))
  }

  deinit {
    X509_free(pointer)
  }

  func setIssuer(_ issuer: Certificate) throws(SigningError) {
    try check(X509_set_issuer_name(pointer, X509_get_subject_name(issuer.pointer)))
  }

  /// Adds an extension in the notation of `x509v3_config(5)`.
  func add(_ identifier: Int32, _ value: String, issuer: Certificate) throws(SigningError) {
    var context = X509V3_CTX()
    shim_X509V3_set_ctx(&context, issuer.pointer, pointer)
    guard let entry = X509V3_EXT_nconf_nid(nil, &context, identifier, value) else {
      throw .unusableCertificate(reason: openSSLReason())
    }
    defer { X509_EXTENSION_free(entry) }
    try check(X509_add_ext(pointer, entry, -1))
  }

  func sign(with key: KeyHandle) throws(SigningError) {
    try check(X509_sign(pointer, key.pointer, EVP_sha256()) > 0 ? 1 : 0)
  }

  func isFor(_ key: KeyHandle) -> Bool {
    defer { ERR_clear_error() }
    return X509_check_private_key(pointer, key.pointer) == 1
  }

  func pem() throws(SigningError) -> String {
    try textWritten { PEM_write_bio_X509($0, pointer) }
  }

  private func check(_ result: Int32) throws(SigningError) {
    guard result == 1 else { throw .failed(reason: openSSLReason()) }
  }
}
