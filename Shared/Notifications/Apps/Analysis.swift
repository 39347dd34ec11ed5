public import FoundationEssentials

/// What MessageAI's analysis found out about a message for one of its recipients.
public struct Analysis: Sendable {
  /// The hourly limit of analyses for a person who has not set one.
  public static let defaultHourlyLimit = 10
  /// Why somebody is not told of a message that the analysis found not worth it; no gate is asked then.
  public static let notWorthTelling = "should_not_notify"

  /// The recipient.
  public let user: UUID
  /// The message's sender; `nil` where none is named.
  public let sender: UUID?
  /// The message.
  public let notice: SmartNotification
  /// Whether the person is to be told of it.
  public let isWorthTelling: Bool

  /// An analysis from its parts.
  public init(for user: UUID, of notice: SmartNotification, from sender: UUID? = nil, isWorthTelling: Bool) {
    (self.user, self.notice, self.sender, self.isWorthTelling) = (user, notice, sender, isWorthTelling)
  }
}
