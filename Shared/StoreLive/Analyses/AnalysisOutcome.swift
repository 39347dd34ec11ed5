public import FoundationEssentials
public import Notifications

/// What became of an analysis.
public enum AnalysisOutcome: Sendable {
  /// Its person is not registered.
  case unknownUser
  /// The person wants no more analyses within the hour; nothing was decided, and this one does not count.
  case overLimit(AnalysisExcess)
  /// It was decided on, now or at an earlier call about the same message.
  ///
  /// `obstacle` says why the person is not told, or not yet, and is `nil` where they are; `rehearsal` is there in a dry
  /// run.
  case decided(obstacle: String?, rehearsal: NotificationResult? = nil)
}

/// What a person wants once their limit of analyses within an hour is reached.
public struct AnalysisExcess: Sendable, Equatable {
  /// What is to be done with the message instead; the caller does it.
  public let fallback: FallbackStrategy
  /// How many analyses they want within an hour.
  public let limit: Int
  /// When there is room for the next one.
  public let resetAt: Date
}
