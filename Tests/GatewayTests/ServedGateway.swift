import FunctionKit
import Glibc
import Postgres
import Synchronization
import TestSupport

@testable import Gateway
@testable import Manifest
@testable import Metrics
@testable import System
@testable import Workers

/// A gateway that serves functions in this process, which are shell scripts.
@RunnerLoop
final class ServedGateway {
  let folder: TemporaryDirectory
  let server: HTTPServer
  let gateway: Gateway
  /// The lines that the gateway has logged.
  let lines = LoggedLines()
  private var pools: [String: FunctionPool] = [:]

  /// - Parameter scripts: the functions' texts by their names; each event gets a process of its own.
  init(
    _ scripts: [String: String], triggers: [Trigger] = [], timeLimit: Duration = .seconds(300),
    mostConnections: Int = 100, mostWaiting: Int = 512, memory: BodyMemory = BodyMemory()
  ) async throws {
    // As the runner has it: a function may end without having read its event.
    signal(SIGPIPE, SIG_IGN)
    folder = try TemporaryDirectory()
    for (name, script) in scripts {
      let path = try folder.write("#!/bin/sh\n\(script)\n", to: name, mode: 0o700)
      let entry = FunctionEntry(name: name, triggers: triggers, mode: .oneshot, concurrency: 1, timeout: 300)
      let launch = Launch(executable: path, environment: ["PATH": "/usr/bin:/bin"], directory: folder.path)
      pools[name] = FunctionPool(entry, launch: launch) { _ in }
    }
    // There is no database: functions that need one are tested elsewhere.
    let database = Connection(url: "postgresql://127.0.0.1:1/nowhere", applicationName: "test")
    let (log, figures) = (Log { _ in }, RunnerFigures())
    let report: @RunnerLoop () -> RunnerReport = { [pools] in RunnerReport(pools, EventReport()) }
    gateway = Gateway(
      access: try GatewayAccess(
        host: "127.0.0.1", manifest: Manifest(directory: "/", functions: [], services: [], commands: []),
        environment: Environment([:])),
      limit: .waiting(mostWaiting),
      .init(
        readiness: { Readiness() }, report: report, virtualTime: { nil }, figures: figures,
        metrics: MetricsPage(
          figures: figures, database: DatabaseFigures(database: database, functions: [], views: [], log: log),
          report: report, leftOut: { 0 }, services: { [("stand-in", true)] }),
        queue: CallQueue(database: database, log: log),
        history: CallHistory(database: database, keepsPayloads: false, log: log),
        log: Log { [lines] line in
          lines.add(String(decoding: line, as: UTF8.self))
        }))
    gateway.publish(pools)
    server = HTTPServer(gateway, timeLimit: timeLimit, mostConnections: mostConnections, memory: memory)
    try await server.start(host: "127.0.0.1", port: 0)
  }

  var port: UInt16 { server.port }

  /// Events that wait for a process of that function.
  func waiting(for function: String) -> Int { pools[function]?.waiting ?? 0 }

  /// Lets running functions go on, which wait for it.
  func release() throws { try folder.write("", to: "go") }

  func stop() async {
    for pool in pools.values {
      await withCheckedContinuation { done in pool.close(grace: .zero) { done.resume() } }
    }
    server.stop()
  }

  /// A function's script that answers when ``release()`` is called; it marks its start by a file.
  static let waiting = "touch started; while [ ! -e go ]; do sleep 0.01; done; echo '{\"done\":1}'"

  /// Waits until a function with the script ``waiting`` runs.
  func untilStarted() async throws {
    _ = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "while [ ! -e \(folder.path)/started ]; do sleep 0.01; done"])
  }
}

/// Lines of a log.
final class LoggedLines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Serves while the body runs.
@RunnerLoop
func withGateway(
  _ scripts: [String: String] = ["f": "cat"], triggers: [Trigger] = [], timeLimit: Duration = .seconds(300),
  mostConnections: Int = 100, mostWaiting: Int = 512, memory: BodyMemory = BodyMemory(),
  _ body: (ServedGateway) async throws -> Void
) async throws {
  let served = try await ServedGateway(
    scripts, triggers: triggers, timeLimit: timeLimit, mostConnections: mostConnections,
    mostWaiting: mostWaiting, memory: memory)
  do {
    try await body(served)
  } catch {
    await served.stop()
    throw error
  }
  await served.stop()
}

/// The text of a request.
func request(
  _ line: String, _ headers: String..., body: String = "", host: String = "localhost"
) -> String {
  let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
  return (["\(line) HTTP/1.1", "Host: \(host)"] + headers + length + ["", body]).joined(separator: "\r\n")
}
