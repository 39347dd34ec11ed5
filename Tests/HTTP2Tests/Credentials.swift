import HTTP2
import Signing
import TestSupport

/// A certificate authority and a server certificate of its own for each test.
final class Credentials: Sendable {
  private let folder: TemporaryDirectory

  /// - Parameters:
  ///   - days: how long the server's certificate is valid; it has expired with 0.
  ///   - isSelfSigned: whether the server shows the authority's own certificate.
  init(
    hosts: [String] = ["localhost", "127.0.0.1", "::1"], days: Int = 30, isSelfSigned: Bool = false
  ) throws {
    folder = try TemporaryDirectory()
    let authority = try CertificateAuthority.make(named: "test authority")
    let certificate = try authority.issue(for: hosts, days: days)
    try folder.write(authority.certificatePEM, to: "ca.pem")
    if isSelfSigned {
      try folder.write(authority.certificatePEM, to: "server.pem")
      try folder.write(authority.keyPEM, to: "key.pem")
    } else {
      try folder.write(certificate.certificatePEM, to: "server.pem")
      try folder.write(certificate.keyPEM, to: "key.pem")
    }
  }

  var authorityPath: String { "\(folder.path)/ca.pem" }
  var certificatePath: String { "\(folder.path)/server.pem" }
  var keyPath: String { "\(folder.path)/key.pem" }
  var trust: Trust { .certificateAuthority(path: authorityPath) }
}
