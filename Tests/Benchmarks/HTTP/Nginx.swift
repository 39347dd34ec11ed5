import Glibc
import TestSupport

/// An nginx with one worker, on a free port; it ends when nothing holds it.
struct Nginx {
  let port: UInt16
  private let folder: TemporaryDirectory
  private let program: RunningProgram

  /// Starts it and waits until it answers.
  ///
  /// - Parameters:
  ///   - upstream: the text of the `http` block before the `server` block.
  ///   - server: the text of its only `server` block; without it, one static answer over HTTP/1.1.
  static func start(
    upstream: String = "", _ server: (_ port: UInt16) -> String = staticAnswer
  ) async throws -> Nginx {
    let folder = try TemporaryDirectory()
    let port = try RunningProgram.freePort()
    try folder.write(configuration(upstream, server(port), folder: folder.path), to: "nginx.conf")
    let program = try RunningProgram(
      "nginx", ["-p", folder.path, "-c", "\(folder.path)/nginx.conf", "-e", "stderr"])
    guard await program.listens(on: port) else {
      throw BenchmarkError("nginx did not start: \(program.lines.joined(separator: " "))")
    }
    return Nginx(port: port, folder: folder, program: program)
  }

  /// Starts one that passes each request on to another process, over connections that stay open.
  static func start(before other: Nginx) async throws -> Nginx {
    let upstream = "upstream other { server 127.0.0.1:\(other.port); keepalive 64; keepalive_requests 1000000000; }"
    return try await start(upstream: upstream) { port in
      """
      listen 127.0.0.1:\(port);
      location / { proxy_pass http://other; proxy_http_version 1.1; proxy_set_header Connection ""; }
      """
    }
  }

  var processID: pid_t { program.processID }

  /// Ends it.
  func stop() async throws {
    program.send(SIGTERM)
    try await program.exit(within: .seconds(10))
  }

  private static func staticAnswer(port: UInt16) -> String {
    """
    listen 127.0.0.1:\(port);
    location / { default_type application/json; return 200 '{"greeting":"hello"}'; }
    """
  }

  private static func configuration(_ upstream: String, _ server: String, folder: String) -> String {
    """
    daemon off;
    worker_processes 1;
    pid \(folder)/pid;
    events { worker_connections 4096; }
    http {
      access_log off;
      keepalive_requests 1000000000;
      client_body_temp_path \(folder)/body;
      proxy_temp_path \(folder)/proxy;
      fastcgi_temp_path \(folder)/fastcgi;
      uwsgi_temp_path \(folder)/uwsgi;
      scgi_temp_path \(folder)/scgi;
      \(upstream)
      server {
        \(server)
      }
    }
    """
  }
}
