package import System

/// One event on its way through a worker.
@RunnerLoop
package final class Job {
  /// The CloudEvents `id`, which the worker's answer repeats.
  package let id: String
  /// The whole event and a line end.
  package let line: [UInt8]
  /// Whether it gets a fresh process of its own, in every mode: it may have ended processes for which others waited.
  package let isAlone: Bool
  package let trigger: InvocationTrigger
  /// Told of the outcome as well.
  package var report: (@RunnerLoop (Job, WorkerOutcome) -> Void)?
  private var complete: (@RunnerLoop (WorkerOutcome) -> Void)?

  /// - Parameter complete: called exactly once, on the loop.
  package init(
    id: String, line: [UInt8], isAlone: Bool = false, trigger: InvocationTrigger = .queue,
    complete: @escaping @RunnerLoop (WorkerOutcome) -> Void
  ) {
    self.id = id
    self.line = line
    self.isAlone = isAlone
    self.trigger = trigger
    self.complete = complete
  }

  package func finish(_ outcome: WorkerOutcome) {
    report?(self, outcome)
    complete?(outcome)
    (report, complete) = (nil, nil)
  }
}
