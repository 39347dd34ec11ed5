import EventLoop
import Foundation
import Glibc
import TestSupport

@testable import HTTP2

/// An HTTP/2 server of another project, on a free port.
struct OtherServer {
  let program: RunningProgram
  let loop = EventLoop(name: "test")
  private let endpoint: Endpoint
  private let credentials: Credentials
  private let folder: TemporaryDirectory

  /// nghttp2's own server, which sends back what it receives.
  static func nghttpd(_ options: [String] = []) async throws -> OtherServer {
    try await started { credentials, port, _ in
      let arguments = ["--echo-upload", "--address=127.0.0.1"] + options
      return ("nghttpd", arguments + ["\(port)", credentials.keyPath, credentials.certificatePath])
    }
  }

  /// nginx, which answers 200; `directives` are added to its server.
  ///
  /// It is one process: a worker would be left behind when its master is killed.
  static func nginx(_ directives: String = "", listens: String = "ssl http2") async throws -> OtherServer {
    try await started { credentials, port, folder in
      let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
        "\($0)_temp_path \(folder.path)/\($0);"
      }
      let path = try folder.write(
        """
        daemon off; master_process off; pid \(folder.path)/pid; events {}
        http {
          access_log off; \(temporary.joined(separator: " "))
          server {
            listen 127.0.0.1:\(port) \(listens);
            ssl_certificate \(credentials.certificatePath); ssl_certificate_key \(credentials.keyPath);
            \(directives)
            location / { return 200; }
          }
        }
        """, to: "nginx.conf")
      return ("nginx", ["-p", folder.path, "-c", path, "-e", "stderr"])
    }
  }

  func connect(timeout: Duration = .seconds(120)) async throws(HTTP2Error) -> HTTP2Client {
    try await HTTP2Client.connect(to: endpoint, trust: credentials.trust, connectTimeout: timeout, loop: loop)
  }

  /// Ends it.
  func stop() async throws {
    program.send(SIGCONT)
    program.send(SIGKILL)
    try await program.exit()
    loop.stop()
  }

  private static func started(
    _ command: (Credentials, UInt16, TemporaryDirectory) throws -> (program: String, arguments: [String])
  ) async throws -> OtherServer {
    let (credentials, folder) = (try Credentials(), try TemporaryDirectory())
    // Neither can choose a port by itself and say which: one that was free a moment ago is nearly always free.
    for _ in 0..<10 {
      let endpoint = Endpoint(host: "127.0.0.1", port: try RunningProgram.freePort())
      let (name, arguments) = try command(credentials, endpoint.port, folder)
      let program = try RunningProgram(try BuiltExecutables.installed(name), arguments)
      if await program.listens(on: endpoint.port) {
        return OtherServer(program: program, endpoint: endpoint, credentials: credentials, folder: folder)
      }
    }
    throw ProgramFailure(description: "No port was free.")
  }
}

/// Runs a test with such a server, which is ended in any case.
func with(_ server: OtherServer, _ body: (OtherServer) async throws -> Void) async throws {
  do {
    try await body(server)
  } catch {
    try? await server.stop()
    throw error
  }
  try await server.stop()
}
