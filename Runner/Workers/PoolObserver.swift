import System

/// What a pool tells of its work.
package struct PoolObserver {
  /// Told of each event that somebody sent, before a process has it.
  package var onSubmit: (@RunnerLoop (Job) -> Void)?
  /// Told of each event that somebody sent, when it has ended.
  package var report: (@RunnerLoop (Job, WorkerOutcome) -> Void)?
  /// Gets the spans that processes write on stderr; without it they are lines of the log.
  package var onSpan: (@RunnerLoop (ArraySlice<UInt8>) -> Void)?
  /// Told of each batch that a process is handed, with the number of its events.
  package var onBatch: (@RunnerLoop (Int) -> Void)?
  /// Told when a process has ended with several unanswered events, with their number and how it ended.
  package var onBrokenBatch: (@RunnerLoop (Int, WorkerOutcome) -> Void)?
  /// Told when processes die again and again and the next one waits longer than before.
  package var onBackoff: (@RunnerLoop (Duration) -> Void)?
}
