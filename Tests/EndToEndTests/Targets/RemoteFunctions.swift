import FunctionKit
import TestSupport

/// Functions that run elsewhere: a server in Python that writes a ``Ledger`` for each, and fails as it is told.
///
/// It notes an event by its id only once, as any receiver of repeated requests has to, before it answers. Its faults come
/// before that (an answer of 503, none, or one that names some events of a batch) and after it (no answer, half of one, what is no HTTP, a page with the status
/// 500, a status alone). `TEST_SEED` chooses them, in the order in which requests come.
struct RemoteFunctions {
  let port: UInt16
  private let project: String
  private let faults: Double

  /// - Parameters:
  ///   - project: the folder of the ledgers.
  ///   - faults: the share of requests that go wrong.
  init(in project: TemporaryDirectory, port: UInt16, faults: Double = 0) {
    (self.project, self.port, self.faults) = (project.path, port, faults)
  }

  /// Members of the manifest's `functions` that hear of inserts into `entries`.
  static func manifest(_ names: [String], port: UInt16, _ settings: String = #","key":"key""#) -> String {
    let functions = names.map { name in
      #""\#(name)":{"url":"http://127.0.0.1:\#(port)/\#(name)","attempts":100,"timeout":10,"#
        + #""triggers":[{"table":"entries","events":["INSERT"]}]\#(settings)}"#
    }
    return Ledger.manifest(functions.joined(separator: ","))
  }

  /// Starts the server; a former one has to have ended.
  func start() async throws -> RunningProgram {
    let program = try RunningProgram(
      "/usr/bin/python3", ["-c", Self.program, project, "\(port)", "\(faults)", "\(Seed())"])
    guard await program.listens(on: port) else {
      throw ProgramFailure(description: program.lines.joined(separator: "\n"))
    }
    return program
  }

  private static let program = #"""
    import glob, json, os, random, sys, threading
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    folder, port, faults = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    lock, seen, files = threading.Lock(), {}, {}
    for path in glob.glob(f"{folder}/*.ledger"):
        seen[os.path.basename(path)[:-7]] = {line.split()[0] for line in open(path)}
    # A server that takes the place of another one goes on with other faults.
    random.seed(f"{sys.argv[4]} {sum(map(len, seen.values()))}")

    def note(name, event):
        with lock:
            known = seen.setdefault(name, set())
            if event["id"] in known:
                return
            known.add(event["id"])
            if name not in files:
                files[name] = os.open(f"{folder}/{name}.ledger", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            number = event["data"]["record"]["number"]
            line = f'{event["id"]} {event["partitionkey"]} {number} {event.get("attempt", 0)} {os.getpid()}\n'
            os.write(files[name], line.encode())

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            kinds = ["busy", "hang up", "lose", "half", "no HTTP", "page", "bare", "some"]
            fault = random.choice(kinds) if random.random() < faults else ""
            if fault == "busy":
                return self.answer(503, "", {"Retry-After": "0"})
            events, failed = self.events(body), []
            if fault == "some":
                failed = random.sample(events, random.randint(0, len(events)))
            if fault != "hang up":
                for event in events:
                    if event not in failed:
                        note(self.path.strip("/"), event)
            if fault in ("hang up", "lose"):
                self.close_connection = True
            elif fault == "half":
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{")
                self.close_connection = True
            elif fault == "no HTTP":
                self.wfile.write(b"SSH-2.0-nothing\r\n")
                self.close_connection = True
            elif fault == "bare":
                self.answer(200, "", {})
            elif fault == "page":
                self.answer(500, "<html>Oops</html>", {"Retry-After": "0"})
            elif failed and "batch" not in self.headers["Content-Type"]:
                self.answer(503, "", {"Retry-After": "0"})
            else:
                items = [{"itemIdentifier": event["id"]} for event in failed]
                self.answer(200, json.dumps({"batchItemFailures": items}), {"Content-Type": "application/json"})

        def events(self, body):
            if "batch" in self.headers["Content-Type"]:
                return json.loads(body)
            fields = {name[3:]: value for name, value in self.headers.items() if name.startswith("ce-")}
            return [fields | {"data": json.loads(body)}]

        def answer(self, status, text, headers):
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            self.wfile.write(f"HTTP/1.1 {status} X\r\n{head}Content-Length: {len(text)}\r\n\r\n{text}".encode())

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 512

    Server(("127.0.0.1", port), Handler).serve_forever()
    """#
}
