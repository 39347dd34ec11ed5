import Glibc

/// A server's certificate and key.
public struct ServerCertificate: Sendable {
  /// The certificate, as PEM.
  public let certificatePEM: String
  /// The secret key, as PKCS #8 PEM.
  public let keyPEM: String

  /// Writes the certificate, readable by all.
  public func writeCertificate(to path: String) throws(SigningError) {
    try PEMFile.write(certificatePEM, to: path, isSecret: false)
  }

  /// Writes the key, readable by its owner only.
  public func writeKey(to path: String) throws(SigningError) {
    try PEMFile.write(keyPEM, to: path, isSecret: true)
  }
}

extension ServerCertificate: CustomStringConvertible {
  /// Without the secret.
  public var description: String { "ServerCertificate" }
}

extension CertificateAuthority {
  /// Writes the CA's certificate, readable by all.
  public func writeCertificate(to path: String) throws(SigningError) {
    try PEMFile.write(certificatePEM, to: path, isSecret: false)
  }

  /// Writes the CA's key, readable by its owner only.
  public func writeKey(to path: String) throws(SigningError) {
    try PEMFile.write(keyPEM, to: path, isSecret: true)
  }
}
