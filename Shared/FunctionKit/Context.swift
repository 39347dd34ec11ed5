public import FoundationEssentials

/// What surrounds one invocation.
public struct Context: Sendable {
  /// The function's name in `functions.json`.
  public let function: String
  /// Whether everything is to be decided and nothing done.
  public let dryRun: Bool
  /// The time to decide by: the event's virtual `now` where a runner made it or in a dry run, else the clock's.
  public let now: Date
  /// The log of this invocation.
  public let log: Log

  /// Reports how much of a long work is done for good, by a count that grows with it.
  ///
  /// The count goes on where an earlier attempt has left off.
  ///
  /// An attempt that gets further than those before it does not use up the event's attempts, nor count as a crash.
  public func progress(_ count: Int) { log.progress(count) }

  /// The surroundings of one invocation.
  public init(function: String, dryRun: Bool = false, now: Date = .now, log: Log) {
    (self.function, self.dryRun, self.now, self.log) = (function, dryRun, now, log)
  }
}
