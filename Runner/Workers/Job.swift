package import System

/// One event on its way through a worker.
@RunnerLoop
package final class Job {
  /// The CloudEvents `id`, which the worker's answer repeats.
  package let id: String
  /// The whole event and a line end.
  package var line: [UInt8]
  /// Events of one chain keep their order and are never in two processes at once; `nil` for one that is in none.
  let chain: String?
  package let trigger: InvocationTrigger
  /// Whether it has failed before.
  package let isRepeated: Bool
  /// The end of a process that had it together with others; `nil` where there was none.
  var suspicion: Suspicion?
  /// Told of the outcome as well.
  package var report: (@RunnerLoop (Job, WorkerOutcome) -> Void)?
  private let hasCrashed: Bool
  private var complete: (@RunnerLoop (WorkerOutcome) -> Void)?

  /// - Parameters:
  ///   - isAlone: whether it gets a fresh process of its own, in every mode.
  ///   - isRepeated: whether it has failed before.
  ///   - complete: called exactly once, on the loop.
  package init(
    id: String, line: [UInt8], chain: String? = nil, isAlone: Bool = false, isRepeated: Bool = false,
    trigger: InvocationTrigger = .queue, complete: @escaping @RunnerLoop (WorkerOutcome) -> Void
  ) {
    self.id = id
    self.line = line
    self.chain = chain
    self.trigger = trigger
    self.isRepeated = isRepeated
    self.complete = complete
    hasCrashed = isAlone
  }

  /// Whether it gets a fresh process of its own, in every mode: it may have ended processes for which others waited.
  package var isAlone: Bool { hasCrashed || isSuspect }

  /// Whether it may be in one batch with others.
  var mayShare: Bool { trigger == .queue && !isRepeated && !isAlone }

  /// Whether it may be the one that has ended the process of a batch.
  var isSuspect: Bool { suspicion?.isOver == false }

  package func finish(_ outcome: WorkerOutcome) {
    suspicion?.heard(outcome.ending)
    report?(self, outcome)
    complete?(outcome)
    (report, complete) = (nil, nil)
  }
}

/// The end of a process with several unanswered events: nobody knows for which of them.
///
/// Each runs alone until one of them has ended its own process in the same way.
@RunnerLoop
final class Suspicion {
  private let code: String
  private(set) var isOver = false

  init(_ ending: WorkerOutcome.Ending) {
    code = WorkerOutcome(ending: ending).code
  }

  /// One of the events, alone in its process, has ended like this.
  func heard(_ ending: WorkerOutcome.Ending) {
    if WorkerOutcome(ending: ending).code == code { isOver = true }
  }
}

/// The cause of a function's run.
package enum InvocationTrigger: String, Sendable {
  case http, queue, notify, schedule
}
