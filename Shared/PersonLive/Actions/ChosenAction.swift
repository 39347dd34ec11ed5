import Formats
package import FoundationEssentials
import Notifications
package import PushPayload

/// A person's action on a notification, as their app reports it.
package struct ChosenAction: Sendable {
  package var notification: UUID
  package var action: PushAction
  /// The text that they wrote; with ``PushPayload/PushAction/reply`` only.
  package var text: String?
  /// The device's row; `nil` if the app does not name it.
  package var device: UUID?
  /// The time by the device's clock, which may be wrong.
  ///
  /// A report with the same time is the same act.
  package var time: Date?

  package init(notification: UUID, action: PushAction, text: String? = nil, device: UUID? = nil, time: Date? = nil) {
    (self.notification, self.action, self.text) = (notification, action, text)
    (self.device, self.time) = (device, time)
  }

  var interaction: Interaction {
    Interaction(notification: notification, device: device, event: .acted, action: action.rawValue, time: time)
  }
}

/// The result of an action.
package struct ActionReceipt: Sendable, Encodable, Equatable {
  /// The notification, a UUID in lower case.
  package let notificationId: String
  /// The action's identifier.
  package let action: String
  /// When a snoozed notification is sent again.
  package internal(set) var sentAgainAt: Date?
  /// Until when a group is muted.
  package internal(set) var mutedUntil: Date?

  init(_ chosen: ChosenAction) {
    (notificationId, action) = (chosen.notification.lowercased, chosen.action.rawValue)
  }
}

/// Why a report is refused; it has changed nothing.
package enum ActionRefusal: Error, Sendable, Equatable {
  /// The person does not have this notification.
  case unknownNotification
  /// The device is not theirs.
  case unknownDevice
  /// The notification offers other actions.
  case notOffered([PushAction])
  /// It is too late for the action; the text is a sentence.
  case conflict(String)
}
