import FunctionKit
package import System

/// `GET /metrics`: everything that is counted, in Prometheus' text format.
@RunnerLoop
package struct MetricsPage {
  let figures: RunnerFigures
  let database: DatabaseFigures
  let report: @RunnerLoop () -> RunnerReport
  /// Calls that the history has left out.
  let leftOut: @RunnerLoop () -> Int
  /// Services, and whether neither they nor what they stand in for is there.
  let services: @RunnerLoop () -> [(name: String, isMissing: Bool)]

  package init(
    figures: RunnerFigures, database: DatabaseFigures, report: @escaping @RunnerLoop () -> RunnerReport,
    leftOut: @escaping @RunnerLoop () -> Int, services: @escaping @RunnerLoop () -> [(name: String, isMissing: Bool)]
  ) {
    (self.figures, self.database, self.report, self.leftOut, self.services) = (
      figures, database, report, leftOut, services
    )
  }

  /// Gives figures of this moment, and the database's of the last seconds.
  package func text(_ take: @escaping @RunnerLoop (String) -> Void) {
    database.families { fromDatabase in
      take((own + figures.families + fromDatabase).map(\.text).joined())
    }
  }

  private var own: [MetricFamily] {
    let report = report()
    return [
      MetricFamily("push_runner_up", .gauge, "1 while the runner serves.", 1),
      MetricFamily(
        "push_runner_processes", .gauge, "Processes of a function.", by: "function",
        report.functions.map { ($0.name, $0.processes) }),
      MetricFamily(
        "push_runner_running", .gauge, "Events that a process of the function has been given.", by: "function",
        report.functions.map { ($0.name, $0.running) }),
      MetricFamily(
        "push_runner_paused", .gauge, "Whether a function's events wait until it is mended.", by: "function",
        report.functions.map { ($0.name, $0.paused == nil ? 0 : 1) }),
      MetricFamily(
        "push_runner_lanes", .gauge, "Lanes of the queue that this runner holds.", report.lanes.count),
      MetricFamily(
        "push_runner_events_overtaken_total", .counter,
        "Committed events that were found to have been passed by, and were run then: a fault of the runner.",
        report.overtaken),
      MetricFamily(
        "push_runner_history_left_out_total", .counter, "Calls over HTTP that were too many for the history.",
        leftOut()),
      MetricFamily(
        "push_runner_service_missing", .gauge,
        "Whether neither a service of functions.json nor what it stands in for is there.", by: "service",
        services().map { ($0.name, $0.isMissing ? 1 : 0) }),
      MetricFamily(
        "process_resident_memory_bytes", .gauge, "Memory of the runner's own process.", ProcessMemory.resident),
    ]
  }
}
