import HTTP2
import Signing

/// A certificate authority and a server certificate of its own for each test.
final class Credentials: Sendable {
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - days: how long the server's certificate is valid; it has expired with 0.
  ///   - isSelfSigned: whether the server shows the authority's own certificate.
  init(
    hosts: [String] = ["localhost", "127.0.0.1", "::1"], days: Int = 30, isSelfSigned: Bool = false
  ) throws {
    folder = try TemporaryFolder()
    let authority = try CertificateAuthority.make(named: "test authority")
    let certificate = try authority.issue(for: hosts, days: days)
    try authority.writeCertificate(to: "\(folder.path)/ca.pem")
    if isSelfSigned {
      try authority.writeCertificate(to: "\(folder.path)/server.pem")
      try authority.writeKey(to: "\(folder.path)/key.pem")
    } else {
      try certificate.writeCertificate(to: "\(folder.path)/server.pem")
      try certificate.writeKey(to: "\(folder.path)/key.pem")
    }
  }

  var authorityPath: String { "\(folder.path)/ca.pem" }
  var certificatePath: String { "\(folder.path)/server.pem" }
  var keyPath: String { "\(folder.path)/key.pem" }
  var trust: Trust { .certificateAuthority(path: authorityPath) }
}
