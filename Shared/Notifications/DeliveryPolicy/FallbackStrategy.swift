/// The way MessageAI treats messages when the hour's analyses are used up; the raw values are the column's.
package enum FallbackStrategy: String, Sendable, CaseIterable {
  /// Simple rules say which messages matter.
  case simpleRules = "simple_rules"
  /// Every message notifies.
  case notifyAll = "notify_all"
  /// No message notifies.
  case suppressAll = "suppress_all"
}
