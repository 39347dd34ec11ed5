import FunctionKit
package import System

/// `GET /metrics`: all figures in Prometheus' text format.
@RunnerLoop
package struct MetricsPage {
  let figures: RunnerFigures
  /// `nil` if the runner has no database of its own.
  let database: DatabaseFigures?
  let report: @RunnerLoop () -> RunnerReport
  /// How many calls the history has left out.
  let leftOut: @RunnerLoop () -> Int
  /// How many spans of traces were lost.
  let lostSpans: @RunnerLoop () -> Int
  /// The services, and whether both the service and the real thing are missing.
  let services: @RunnerLoop () -> [(name: String, isMissing: Bool)]

  package init(
    figures: RunnerFigures, database: DatabaseFigures?, report: @escaping @RunnerLoop () -> RunnerReport,
    leftOut: @escaping @RunnerLoop () -> Int, lostSpans: @escaping @RunnerLoop () -> Int = { 0 },
    services: @escaping @RunnerLoop () -> [(name: String, isMissing: Bool)]
  ) {
    (self.figures, self.database, self.report, self.leftOut, self.services) = (
      figures, database, report, leftOut, services
    )
    self.lostSpans = lostSpans
  }

  /// Gives the runner's figures of this moment, and the database's figures of the last seconds.
  package func text(_ take: @escaping @RunnerLoop (String) -> Void) {
    BackgroundTask.start("reading the memory of the runner") {
      let memory = await ProcessMemory.resident
      let answer: @RunnerLoop ([MetricFamily]) -> Void = { fromDatabase in
        take((own(memory) + figures.families + fromDatabase).map(\.text).joined())
      }
      if let database { database.families(answer) } else { answer([]) }
    }
  }

  private func own(_ memory: Int) -> [MetricFamily] {
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
        "push_runner_target_away", .gauge,
        "Whether nothing is sent to the function's target elsewhere, because it did not answer.", by: "function",
        report.functions.filter(\.isElsewhere).map { ($0.name, $0.outage == nil ? 0 : 1) }),
      MetricFamily(
        "push_runner_partitions", .gauge, "Partitions of the queue that this runner holds.", report.partitions.count),
      MetricFamily(
        "push_runner_events_overtaken_total", .counter,
        "Committed events that the runner had missed, found later and run then: a fault of the runner.",
        report.overtaken),
      MetricFamily(
        "push_runner_order_broken_total", .counter,
        "Events that the runner took after a newer one of their key, and could have taken before: a fault of the runner.",
        report.outOfOrder),
      MetricFamily(
        "push_runner_history_left_out_total", .counter,
        "HTTP calls that the history left out, because they were too many.", leftOut()),
      MetricFamily(
        "push_runner_spans_lost_total", .counter,
        "Spans of traces that the collector has not taken in time.", lostSpans()),
      MetricFamily(
        "push_runner_service_missing", .gauge,
        "Whether a service of functions.json and the real thing are both missing.", by: "service",
        services().map { ($0.name, $0.isMissing ? 1 : 0) }),
      MetricFamily(
        "process_resident_memory_bytes", .gauge, "Memory of the runner's own process.", memory),
    ]
  }
}
