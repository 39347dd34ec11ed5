import COpenSSL

/// A small authority for servers on this machine: a CA certificate and its key, both on P-256.
package struct CertificateAuthority: Sendable {
  /// One day less than the 825 that Apple's systems allow, because both ends of a validity count.
  package static let maximumDays = 824

  /// The CA's certificate, which clients must trust.
  package let certificatePEM: String
  /// The CA's secret key.
  package let keyPEM: String

  private let certificate: Certificate
  private let key: KeyHandle

  /// A new authority.
  ///
  /// - Parameters:
  ///   - name: its common name.
  ///   - days: how long it is valid, at most ``maximumDays``.
  package static func make(named name: String, days: Int = maximumDays) throws(SigningError) -> CertificateAuthority {
    let key = try KeyHandle.generateP256()
    let certificate = try Certificate(subject: name, key: key, days: min(days, maximumDays))
    try certificate.setIssuer(certificate)
    try certificate.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", issuer: certificate)
    try certificate.add(NID_key_usage, "critical,keyCertSign,cRLSign", issuer: certificate)
    try certificate.add(NID_subject_key_identifier, "hash", issuer: certificate)
    try certificate.sign(with: key)
    return CertificateAuthority(
      certificatePEM: try certificate.pem(), keyPEM: try key.privatePEM(), certificate: certificate, key: key)
  }

  /// An authority from its two parts, which must belong together.
  package init(certificatePEM: String, keyPEM: String) throws(SigningError) {
    let (certificate, key) = (try Certificate(pem: certificatePEM), try KeyHandle.privateKey(pem: keyPEM))
    guard certificate.isFor(key) else {
      throw .unusableCertificate(reason: "the certificate and the key do not belong together")
    }
    self.init(certificatePEM: certificatePEM, keyPEM: keyPEM, certificate: certificate, key: key)
  }

  private init(certificatePEM: String, keyPEM: String, certificate: Certificate, key: KeyHandle) {
    self.certificatePEM = certificatePEM
    self.keyPEM = keyPEM
    self.certificate = certificate
    self.key = key
  }

  /// Issues a certificate for a server.
  ///
  /// - Parameters:
  ///   - hosts: the DNS names and IP addresses of the server.
  ///   - days: how long it is valid, at most ``maximumDays``.
  package func issue(
    for hosts: [String] = ["localhost", "127.0.0.1", "::1"], days: Int = maximumDays
  ) throws(SigningError) -> ServerCertificate {
    let names = try hosts.map { (host) throws(SigningError) in try Self.alternativeName(host) }
    let serverKey = try KeyHandle.generateP256()
    let server = try Certificate(subject: hosts.first ?? "server", key: serverKey, days: min(days, Self.maximumDays))
    try server.setIssuer(certificate)
    try server.add(NID_basic_constraints, "critical,CA:FALSE", issuer: certificate)
    try server.add(NID_key_usage, "critical,digitalSignature", issuer: certificate)
    try server.add(NID_ext_key_usage, "serverAuth", issuer: certificate)
    try server.add(NID_subject_alt_name, names.joined(separator: ","), issuer: certificate)
    try server.add(NID_authority_key_identifier, "keyid", issuer: certificate)
    try server.sign(with: key)
    return ServerCertificate(certificatePEM: try server.pem(), keyPEM: try serverKey.privatePEM())
  }

  private static func alternativeName(_ host: String) throws(SigningError) -> String {
    let isSafe = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"): true
      case UInt8(ascii: "*"): true
      default: false
      }
    }
    guard isSafe, !host.isEmpty else { throw .unusableCertificate(reason: "a host name with other characters") }
    let isAddress = host.contains(":") || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
    return (isAddress ? "IP:" : "DNS:") + host
  }
}

extension CertificateAuthority: CustomStringConvertible {
  /// Without the secret.
  package var description: String { "CertificateAuthority" }
}
