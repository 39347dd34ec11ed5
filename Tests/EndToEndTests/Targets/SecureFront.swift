import Foundation
import Signing
import TestSupport

/// An nginx before functions elsewhere, which speaks TLS and HTTP/2 and notes each request in the file `requests`.
final class SecureFront {
  let port: UInt16
  let folder: TemporaryDirectory
  private let upstream: UInt16
  private var program: RunningProgram?

  /// - Parameter upstream: the port of the functions.
  init(to upstream: UInt16) throws {
    (port, self.upstream) = (try RunningProgram.freePort(), upstream)
    folder = try TemporaryDirectory()
  }

  /// Starts it with that certificate; one that ran before ends.
  ///
  /// - Parameter requests: how many a connection carries before the server ends it with GOAWAY.
  func start(_ certificate: ServerCertificate, requests: Int = 1_000) async throws {
    try await stop()
    try folder.write(certificate.certificatePEM, to: "certificate.pem")
    try folder.write(certificate.keyPEM, to: "key.pem")
    try folder.write(configuration(requests), to: "nginx.conf")
    let program = try RunningProgram(
      try BuiltExecutables.installed("nginx"),
      ["-p", folder.path, "-c", "\(folder.path)/nginx.conf", "-e", "stderr"])
    guard await program.listens(on: port) else {
      throw ProgramFailure(description: program.lines.joined(separator: "\n"))
    }
    self.program = program
  }

  func stop() async throws {
    program?.send(SIGTERM)
    try await program?.exit()
    program = nil
  }

  /// The protocol, connection and status of each request that has been answered.
  func requests() throws -> [(version: String, connection: String, status: String)] {
    try String(contentsOfFile: "\(folder.path)/requests", encoding: .utf8).split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3 else { throw ProgramFailure(description: "A line of nginx is broken: \(line)") }
      return (words[0], words[1], words[2])
    }
  }

  // It is one process: a worker would be left behind when its master is killed.
  private func configuration(_ requests: Int) -> String {
    """
    daemon off;
    master_process off;
    pid \(folder.path)/pid;
    events { worker_connections 1024; }
    http {
      log_format requests '$server_protocol $connection $status';
      access_log \(folder.path)/requests requests;
      keepalive_requests \(requests);
      client_body_temp_path \(folder.path)/body;
      proxy_temp_path \(folder.path)/proxy;
      fastcgi_temp_path \(folder.path)/fastcgi;
      uwsgi_temp_path \(folder.path)/uwsgi;
      scgi_temp_path \(folder.path)/scgi;
      server {
        listen 127.0.0.1:\(port) ssl http2;
        ssl_certificate \(folder.path)/certificate.pem;
        ssl_certificate_key \(folder.path)/key.pem;
        location / {
          proxy_pass http://127.0.0.1:\(upstream);
          proxy_next_upstream off;
        }
      }
    }
    """
  }
}
