import COpenSSL

extension RSASigningKey {
  /// A new random key of 2,048 bits, which takes a tenth of a second or so.
  public static func generate() throws(SigningError) -> RSASigningKey {
    RSASigningKey(handle: try KeyHandle(adopting: shim_EVP_RSA_gen(2_048)))
  }

  /// The secret itself, as PKCS #8 PEM like in Google's service accounts.
  public func privatePEM() throws(SigningError) -> String {
    try handle.privatePEM()
  }
}
