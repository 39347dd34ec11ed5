package import FoundationEssentials
package import Tracing

/// The surroundings of one invocation.
package struct Context: Sendable {
  /// The function's name in `functions.json`.
  package let function: String
  /// Whether to decide everything and do nothing.
  package let dryRun: Bool
  /// The time for decisions: the event's virtual `now` if a runner has set it or in a dry run, else the clock's time.
  package let now: Date
  /// The log of this invocation.
  package let log: Log
  /// The trace of this invocation; `nil` unless traces are wanted.
  package let trace: InvocationTrace?

  /// Reports how much of a long work is finished, by a count that grows.
  ///
  /// The count goes on where an earlier attempt has stopped. An attempt that gets further than those before it uses up
  /// no attempt of the event, and does not count as a crash.
  package func progress(_ count: Int) { log.progress(count) }

  /// The surroundings of one invocation.
  package init(
    function: String, dryRun: Bool = false, now: Date = .now, log: Log, trace: InvocationTrace? = nil
  ) {
    (self.function, self.dryRun, self.now, self.log, self.trace) = (function, dryRun, now, log, trace)
  }
}
