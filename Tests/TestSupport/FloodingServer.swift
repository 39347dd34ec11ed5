/// A server whose answers have no end.
package enum FloodingServer {
  /// Starts it on a port of this host.
  package static func start(on port: UInt16) async throws -> RunningProgram {
    let program = try RunningProgram("/usr/bin/python3", ["-c", script, "\(port)"])
    guard await program.listens(on: port) else {
      throw ProgramFailure(description: program.lines.joined(separator: "\n"))
    }
    return program
  }

  private static let script = """
    import sys
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            try:
                self.wfile.write(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                self.close_connection = True

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 512

    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
    """
}
