/// What becomes of MessageAI's messages once the hour's analyses are used up; the raw values are the column's.
public enum FallbackStrategy: String, Sendable, CaseIterable {
  /// Simple rules say which messages matter.
  case simpleRules = "simple_rules"
  /// Everybody is told of everything.
  case notifyAll = "notify_all"
  /// Nobody is told of anything.
  case suppressAll = "suppress_all"
}
