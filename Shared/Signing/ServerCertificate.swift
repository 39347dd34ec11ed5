/// A server's certificate and key.
package struct ServerCertificate: Sendable {
  /// The certificate, as PEM.
  package let certificatePEM: String
  /// The secret key, as PKCS #8 PEM.
  package let keyPEM: String
}

extension ServerCertificate: CustomStringConvertible {
  /// Without the secret.
  package var description: String { "ServerCertificate" }
}
