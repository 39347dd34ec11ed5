package import FoundationEssentials
package import Notifications

/// The answer to a request to notify a person of an analysed message.
package enum AnalysisOutcome: Sendable {
  /// The person is not registered.
  case unknownUser
  /// The person has reached their hourly limit of analyses; nothing was decided, and this one does not count.
  case overLimit(AnalysisExcess)
  /// There is a decision, from this call or from an earlier one about the same message.
  ///
  /// `obstacle` is why the person is not notified, or not yet; it is `nil` if they are. `rehearsal` is set in a dry run
  /// only.
  case decided(obstacle: String?, rehearsal: NotificationResult? = nil)
}

/// The person's wishes once they have reached their hourly limit of analyses.
package struct AnalysisExcess: Sendable, Equatable {
  /// The caller's treatment of the message.
  package let fallback: FallbackStrategy
  /// Analyses in an hour.
  package let limit: Int
  /// The time at which the next analysis has room.
  package let resetAt: Date
}
