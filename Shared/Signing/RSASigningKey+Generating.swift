import COpenSSL

extension RSASigningKey {
  /// Makes a new random key of 2,048 bits, which takes about a tenth of a second.
  package static func generate() throws(SigningError) -> RSASigningKey {
    RSASigningKey(handle: try KeyHandle(adopting: shim_EVP_RSA_gen(2_048)))
  }

  /// The secret itself, as PKCS #8 PEM, as in Google's service accounts.
  package func privatePEM() throws(SigningError) -> String {
    try handle.privatePEM()
  }
}
