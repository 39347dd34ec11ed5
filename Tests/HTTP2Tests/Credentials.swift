import HTTP2
import Signing

/// A certificate authority and a server certificate of its own for each test.
final class Credentials: Sendable {
  private let folder: TemporaryFolder

  init(hosts: [String] = ["localhost", "127.0.0.1", "::1"]) throws {
    folder = try TemporaryFolder()
    let authority = try CertificateAuthority.make(named: "test authority")
    let certificate = try authority.issue(for: hosts)
    try authority.writeCertificate(to: "\(folder.path)/ca.pem")
    try certificate.writeCertificate(to: "\(folder.path)/server.pem")
    try certificate.writeKey(to: "\(folder.path)/key.pem")
  }

  var authorityPath: String { "\(folder.path)/ca.pem" }
  var certificatePath: String { "\(folder.path)/server.pem" }
  var keyPath: String { "\(folder.path)/key.pem" }
  var trust: Trust { .certificateAuthority(path: authorityPath) }
}
