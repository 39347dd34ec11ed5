public import FoundationEssentials

/// What a person did with a notification, as their app reports it.
public struct Interaction: Sendable, Equatable {
  /// The notification.
  public var notification: UUID
  /// The device's row; `nil` where the app does not say, which then means all of the person's devices.
  public var device: UUID?
  /// What was done.
  public var event: Event
  /// The identifier of the action that was chosen; only with ``Event/acted``.
  public var action: String?
  /// When, by the clock of the device, which may be wrong.
  public var time: Date?

  /// An interaction from its parts.
  public init(notification: UUID, device: UUID? = nil, event: Event, action: String? = nil, time: Date? = nil) {
    (self.notification, self.device, self.event) = (notification, device, event)
    (self.action, self.time) = (action, time)
  }

  /// The raw value stands in `notification_interactions.event`, and in `deliveries.state` afterwards.
  public enum Event: String, Sendable, Codable {
    /// The person opened it.
    case opened
    /// The person chose one of its actions, which opens it too.
    case acted
  }
}
