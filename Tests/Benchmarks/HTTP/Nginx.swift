import Glibc
import TestSupport

/// An nginx with one worker, on a free port, as long as somebody holds it.
struct Nginx {
  let port: UInt16
  private let folder: TemporaryDirectory
  private let program: RunningProgram

  /// Starts it and waits until it answers.
  ///
  /// - Parameter server: the text of its only `server` block; without it, one static answer over HTTP/1.1.
  static func start(_ server: (_ port: UInt16) -> String = staticAnswer) async throws -> Nginx {
    let folder = try TemporaryDirectory()
    let port = try freePort()
    try folder.write(configuration(server(port), folder: folder.path), to: "nginx.conf")
    let program = try RunningProgram(
      "nginx", ["-p", folder.path, "-c", "\(folder.path)/nginx.conf", "-e", "stderr"])
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      do {
        _ = try CallConnection(port: port, request: [])
        return Nginx(port: port, folder: folder, program: program)
      } catch {
        guard ContinuousClock.now < deadline else {
          throw BenchmarkError("nginx did not start: \(program.lines.joined(separator: " "))")
        }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

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

  private static func configuration(_ server: String, folder: String) -> String {
    """
    daemon off;
    worker_processes 1;
    pid \(folder)/pid;
    events {}
    http {
      access_log off;
      keepalive_requests 1000000000;
      client_body_temp_path \(folder)/body;
      proxy_temp_path \(folder)/proxy;
      fastcgi_temp_path \(folder)/fastcgi;
      uwsgi_temp_path \(folder)/uwsgi;
      scgi_temp_path \(folder)/scgi;
      server {
        \(server)
      }
    }
    """
  }

  /// A port that was free a moment ago: nginx can neither choose one itself nor say which.
  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
      }
    }
    guard result == 0 else { throw SystemError("bind") }
    return UInt16(bigEndian: address.sin_port)
  }
}
