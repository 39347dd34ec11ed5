import Signing
import TestSupport

/// An nginx that takes every push, over TLS and HTTP/2, with the certificate authority that vouches for it.
struct PushNginx {
  let nginx: Nginx
  /// The PEM file of the authority.
  let authorityPath: String
  private let folder: TemporaryDirectory

  static func start() async throws -> PushNginx {
    let folder = try TemporaryDirectory()
    let path = folder.path
    let authority = try CertificateAuthority.make(named: "benchmark")
    let certificate = try authority.issue(for: ["localhost", "127.0.0.1"])
    try folder.write(authority.certificatePEM, to: "ca.pem")
    try folder.write(certificate.certificatePEM, to: "server.pem")
    try folder.write(certificate.keyPEM, to: "key.pem")
    let nginx = try await Nginx.start { port in
      """
      listen 127.0.0.1:\(port) ssl http2;
      ssl_certificate \(path)/server.pem;
      ssl_certificate_key \(path)/key.pem;
      location / { return 200; }
      """
    }
    return PushNginx(nginx: nginx, authorityPath: "\(path)/ca.pem", folder: folder)
  }

  var url: String { "https://localhost:\(nginx.port)" }

  /// Ends it.
  func stop() async throws {
    try await nginx.stop()
  }
}
