import FunctionKit
import Gateway
import Manifest
package import Metrics
import Postgres
import Queue
import System
import Traces

extension Server {
  func startGateway(_ access: GatewayAccess, _ url: String, _ queue: EventQueue) async throws {
    let manifest = project.manifest
    let calls = Connection(url: url, applicationName: "runner gateway", statementTimeout: .seconds(8))
    let history = CallHistory(
      database: Connection(url: url, applicationName: "runner history", statementTimeout: .seconds(8)),
      keepsPayloads: manifest.history.keepsPayloads,
      log: log)
    let metrics = Connection(
      url: url, applicationName: "runner metrics", connectTimeout: .seconds(2), statementTimeout: .seconds(2))
    let report: @RunnerLoop () -> RunnerReport = { [self] in self.report() }
    let gateway = Gateway(
      access: access,
      .init(
        readiness: { [self] in readiness(of: queue) }, report: report, virtualTime: { queue.virtualTime },
        figures: figures,
        metrics: MetricsPage(
          figures: figures,
          database: DatabaseFigures(
            database: metrics, functions: manifest.functions.map(\.name), views: manifest.metrics, log: log),
          report: report, leftOut: { history.leftOut }, lostSpans: { [traces] in traces?.lost ?? 0 },
          services: { [self] in
            let missing = Set(missingServices.map(\.name))
            return project.manifest.services.map { ($0.name, missing.contains($0.name)) }
          }),
        queue: CallQueue(database: calls, log: log), history: history, log: log, pages: options.pages?(self),
        traces: traces))
    gateway.publish(manifest.takesCalls ? pools : [:], elsewhere: manifest.calledElsewhere)
    let server = HTTPServer(
      gateway, reserving: DescriptorLimit.needed(forProcesses: manifest.concurrency) + UInt(mostSending),
      memory: BodyMemory(mebibytes: access.bodyMemory))
    try await server.start(host: options.host, port: options.port)
    (http, self.gateway, self.history) = (server, gateway, history)
    supervisor.start("gateway", .endServer(.unavailable)) { try await server.run() }
    if let advice = access.advice { log.warning(advice) }
  }

  /// What the runner is doing.
  package func report() -> RunnerReport { RunnerReport(pools, queue.map(eventReport) ?? EventReport()) }

  /// Counts up with all that was done and can be read in the database.
  package var changes: Int { (queue?.changes ?? 0) + (history?.written ?? 0) }

  /// The time of a virtual clock; `nil` while events go by the real one.
  package var virtualTime: String? { queue?.virtualTime }

  private func eventReport(of queue: EventQueue) -> EventReport {
    queue.lookForOvertaken()
    let state = queue.state()
    var report = EventReport()
    (report.isIdle, report.partitions, report.waiting) = (state.isIdle, state.partitions, state.waiting)
    (report.overtaken, report.outOfOrder, report.suspects) = (state.overtaken, state.outOfOrder, state.suspects)
    for name in queue.paused { report.paused[name] = pause(of: name) }
    return report
  }
}
