package import FoundationEssentials
package import Notifications
package import StoreLive

/// The outcome of an analysis.
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

/// What a person wants after they have reached their hourly limit of analyses.
package struct AnalysisExcess: Sendable, Equatable {
  /// What the caller does with the message instead.
  package let fallback: FallbackStrategy
  /// The limit of analyses in an hour.
  package let limit: Int
  /// When there is room for the next one.
  package let resetAt: Date
}
