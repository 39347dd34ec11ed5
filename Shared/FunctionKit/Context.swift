public import FoundationEssentials

/// What surrounds one invocation.
public struct Context: Sendable {
  /// The function's name in `functions.json`.
  public let function: String
  /// Whether everything is to be decided and nothing done.
  public let dryRun: Bool
  /// The time to decide by: the event's virtual `now`, else the clock's.
  public let now: Date
  /// The log of this invocation.
  public let log: Log

  /// The surroundings of one invocation.
  public init(function: String, dryRun: Bool = false, now: Date = .now, log: Log) {
    (self.function, self.dryRun, self.now, self.log) = (function, dryRun, now, log)
  }
}
