extension VerificationKey {
  /// Whether the signature, in OpenSSL's DER instead of the 64 bytes of JWS, was made over these bytes by the other half.
  public func verify(der signature: [UInt8], of bytes: [UInt8]) -> Bool {
    handle.verify(signature, of: bytes)
  }
}
