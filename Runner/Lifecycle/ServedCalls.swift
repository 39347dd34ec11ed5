import FunctionKit
import Gateway
import Logging
import Manifest
import Metrics
import Postgres
import Queue
import System
import Traces

/// The gateway with all that it needs: the server of HTTP, and the history of calls.
@RunnerLoop
final class ServedCalls {
  private let served: ServedProject
  private let options: Server.Options
  private let figures: RunnerFigures
  private let log: Log
  private var gateway: Gateway?
  private var http: HTTPServer?
  private var history: CallHistory?

  init(_ served: ServedProject, _ options: Server.Options, figures: RunnerFigures, log: Log) {
    (self.served, self.options, self.figures, self.log) = (served, options, figures, log)
  }

  /// The port that it listens on.
  var port: UInt16 { http?.port ?? 0 }

  /// How many calls stand in the history.
  var written: Int { history?.written ?? 0 }

  /// Listens; then calls are answered.
  /// - Parameters:
  ///   - url: the database of the queue.
  ///   - pages: the console.
  func start(
    _ access: GatewayAccess, _ url: String, _ queue: EventQueue, _ shutdown: Shutdown, _ supervisor: Supervisor,
    pages: (any PageServer)?
  ) async throws {
    let manifest = served.project.manifest
    let history = CallHistory(
      database: Connection(url: url, applicationName: "runner history", statementTimeout: .seconds(8)),
      keepsPayloads: manifest.history.keepsPayloads, log: log)
    let report: @RunnerLoop () -> RunnerReport = { [served] in served.report() }
    let gateway = Gateway(
      access: access,
      .init(
        readiness: { [served] in served.readiness(of: queue, isEnding: shutdown.isAsked) }, report: report,
        virtualTime: { queue.virtualTime }, figures: figures,
        metrics: metrics(url, report, leftOut: { history.leftOut }),
        queue: CallQueue(
          database: Connection(url: url, applicationName: "runner gateway", statementTimeout: .seconds(8)), log: log),
        history: history, log: log, pages: pages, traces: served.traces))
    self.gateway = gateway
    publish()
    let server = HTTPServer(
      gateway, reserving: DescriptorLimit.needed(forProcesses: manifest.concurrency) + UInt(served.mostSending),
      memory: BodyMemory(mebibytes: access.bodyMemory))
    try await server.start(host: options.host, port: options.port)
    (http, self.history) = (server, history)
    supervisor.start("gateway", .endServer(.unavailable)) { try await server.run() }
    if let advice = access.advice { log.warning(advice) }
  }

  private func metrics(
    _ url: String, _ report: @escaping @RunnerLoop () -> RunnerReport, leftOut: @escaping @RunnerLoop () -> Int
  ) -> MetricsPage {
    let manifest = served.project.manifest
    let database = Connection(
      url: url, applicationName: "runner metrics", connectTimeout: .seconds(2), statementTimeout: .seconds(2))
    return MetricsPage(
      figures: figures,
      database: DatabaseFigures(
        database: database, functions: manifest.functions.map(\.name), views: manifest.metrics, log: log),
      report: report, leftOut: leftOut, lostSpans: { [traces = served.traces] in traces?.lost ?? 0 },
      services: { [served] in
        let missing = Set(served.missingServices.map(\.name))
        return served.project.manifest.services.map { ($0.name, missing.contains($0.name)) }
      })
  }

  /// Has the functions called as the project says now.
  func publish(_ access: GatewayAccess? = nil) {
    let manifest = served.project.manifest
    gateway?.publish(manifest.takesCalls ? served.pools : [:], elsewhere: manifest.calledElsewhere, access: access)
  }

  /// Takes no further connections.
  func drain() { http?.drain() }

  /// Waits five seconds at most for the calls that are being answered, and writes the history.
  func stop() async {
    await http?.finish(within: .seconds(5))
    http?.stop()
    await history?.close()
  }
}
