import FunctionKit
import Gateway
import Manifest
import Metrics
import Postgres
import Queue
import System

extension Server {
  func startGateway(_ access: GatewayAccess, _ url: String) async throws {
    let manifest = project.manifest
    let calls = Connection(url: url, applicationName: "runner gateway", statementTimeout: .seconds(8))
    let history = CallHistory(
      database: Connection(url: url, applicationName: "runner history", statementTimeout: .seconds(8)),
      keepsPayloads: manifest.history.keepsPayloads,
      log: log)
    let metrics = Connection(
      url: url, applicationName: "runner metrics", connectTimeout: .seconds(2), statementTimeout: .seconds(2))
    let report: @RunnerLoop () -> RunnerReport = { [self] in RunnerReport(pools, eventReport()) }
    let gateway = Gateway(
      access: access,
      .init(
        readiness: { [self] in readiness }, report: report, clock: clock, figures: figures,
        metrics: MetricsPage(
          figures: figures,
          database: DatabaseFigures(
            database: metrics, functions: manifest.functions.map(\.name), views: manifest.metrics, log: log),
          report: report, leftOut: { history.leftOut },
          services: { [self] in
            let missing = Set(missingServices.map(\.name))
            return project.manifest.services.map { ($0.name, missing.contains($0.name)) }
          }),
        queue: CallQueue(database: calls, log: log), history: history, log: log))
    gateway.publish(pools, elsewhere: manifest.elsewhere)
    let server = HTTPServer(
      gateway, reserving: DescriptorLimit.needed(forProcesses: manifest.concurrency),
      memory: BodyMemory(mebibytes: access.bodyMemory))
    try await server.start(host: options.host, port: options.port)
    (http, self.gateway, self.history) = (server, gateway, history)
    supervisor.start("gateway", .endServer(.unavailable)) { try await server.run() }
  }

  private func eventReport() -> EventReport {
    var report = EventReport()
    engine?.auditSoon()
    (report.overtaken, report.suspects) = (engine?.overtaken ?? 0, engine?.suspects ?? [])
    report.isIdle = timekeeper?.isIdle ?? false
    report.partitions = engine?.heldPartitions ?? []
    for name in engine?.paused ?? [] { report.paused[name] = figures.of(name).problem }
    for name in pools.keys { report.waiting[name] = engine?.load(of: name).waiting }
    return report
  }
}
