package import FunctionKit
package import Metrics
import System
package import Traces

extension Gateway {
  /// The things that it reports on and writes to.
  package struct Surroundings {
    /// Whether queued events and schedules run, too.
    var readiness: @RunnerLoop () -> Readiness
    var report: @RunnerLoop () -> RunnerReport
    /// The time of a virtual clock.
    var virtualTime: @RunnerLoop () -> String?
    var figures: RunnerFigures
    var metrics: MetricsPage
    /// `nil` if every caller waits for the result.
    var queue: CallQueue?
    var history: CallHistory?
    var log: Log
    /// `nil` if there are no pages for people.
    var pages: (any PageServer)?
    /// `nil` unless traces are wanted.
    var traces: Traces?

    package init(
      readiness: @escaping @RunnerLoop () -> Readiness, report: @escaping @RunnerLoop () -> RunnerReport,
      virtualTime: @escaping @RunnerLoop () -> String?, figures: RunnerFigures, metrics: MetricsPage, queue: CallQueue?,
      history: CallHistory?, log: Log, pages: (any PageServer)? = nil, traces: Traces? = nil
    ) {
      (self.readiness, self.report, self.virtualTime) = (readiness, report, virtualTime)
      (self.figures, self.metrics, self.queue) = (figures, metrics, queue)
      (self.history, self.log, self.pages, self.traces) = (history, log, pages, traces)
    }
  }
}
