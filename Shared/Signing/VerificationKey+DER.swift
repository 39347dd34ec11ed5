extension VerificationKey {
  /// Whether the private half made this signature over these bytes, in OpenSSL's DER instead of the 64 bytes of JWS.
  package func verify(der signature: [UInt8], of bytes: [UInt8]) -> Bool {
    handle.verify(signature, of: bytes)
  }
}
