package import FoundationEssentials

/// The result of MessageAI's analysis of a message for one of its recipients.
package struct Analysis: Sendable {
  /// The default limit of analyses for a person in one hour.
  package static let defaultHourlyLimit = 10
  /// The reason for a message that the analysis suppresses; no gate is asked then.
  package static let notWorthNotifying = "should_not_notify"

  package let user: UUID
  /// `nil` if the call names no sender.
  package let sender: UUID?
  package let notice: SmartNotification
  /// Whether the person should be notified.
  package let deservesNotification: Bool

  package init(for user: UUID, of notice: SmartNotification, from sender: UUID? = nil, deservesNotification: Bool) {
    (self.user, self.notice, self.sender, self.deservesNotification) = (user, notice, sender, deservesNotification)
  }
}
