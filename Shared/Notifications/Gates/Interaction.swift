package import FoundationEssentials

/// The act of a person on a notification, as their app reports it.
package struct Interaction: Sendable, Equatable {
  package var notification: UUID
  /// The device's row; `nil` means all of the person's devices.
  package var device: UUID?
  package var event: Event
  /// The identifier of the chosen action; only with ``Event/acted``.
  package var action: String?
  /// The time by the device's clock, which may be wrong.
  package var time: Date?

  package init(notification: UUID, device: UUID? = nil, event: Event, action: String? = nil, time: Date? = nil) {
    (self.notification, self.device, self.event) = (notification, device, event)
    (self.action, self.time) = (action, time)
  }

  /// The raw value is stored in `notification_interactions.event`, and in `deliveries.state` afterwards.
  package enum Event: String, Sendable, Codable {
    /// The person opened it.
    case opened
    /// The person chose one of its actions, which opens it too.
    case acted
  }
}
