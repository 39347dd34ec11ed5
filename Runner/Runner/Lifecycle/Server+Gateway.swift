import FunctionKit
import Postgres

extension Server {
  func startGateway(_ access: GatewayAccess, _ url: String) throws {
    let manifest = project.manifest
    let calls = Connection(url: url, applicationName: "runner gateway")
    let history = CallHistory(
      database: Connection(url: url, applicationName: "runner history"), keepsPayloads: manifest.history.keepsPayloads,
      log: log)
    let metrics = Connection(
      url: url, applicationName: "runner metrics", connectTimeout: .seconds(2), statementTimeout: .seconds(2))
    let report: @RunnerLoop () -> RunnerReport = { [self] in RunnerReport(pools, eventReport()) }
    let gateway = Gateway(
      access: access,
      .init(
        isReady: { [self] in engine?.isReady ?? false }, report: report, clock: clock, figures: figures,
        metrics: MetricsPage(
          figures: figures,
          database: DatabaseFigures(
            database: metrics, functions: manifest.functions.map(\.name), views: manifest.metrics, log: log),
          report: report, leftOut: { history.leftOut }),
        queue: CallQueue(database: calls), history: history))
    gateway.publish(pools)
    let server = HTTPServer(gateway)
    try server.start(host: options.host, port: options.port)
    (http, self.gateway, self.history) = (server, gateway, history)
  }

  private func eventReport() -> EventReport {
    var report = EventReport()
    report.isIdle = timekeeper?.isIdle ?? false
    report.lanes = engine?.lanes.lease.keys.sorted() ?? []
    for name in engine?.paused ?? [] { report.paused[name] = figures.of(name).problem }
    for name in pools.keys { report.waiting[name] = engine?.load(of: name).waiting }
    return report
  }
}
