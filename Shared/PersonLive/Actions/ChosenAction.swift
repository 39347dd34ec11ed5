public import FoundationEssentials
import Notifications
public import PushPayload

/// What a person chose on a notification, as their app reports it.
public struct ChosenAction: Sendable {
  /// The notification.
  public var notification: UUID
  /// What they chose.
  public var action: PushAction
  /// What they wrote, with ``PushPayload/PushAction/reply`` only.
  public var text: String?
  /// The device's row; `nil` where the app does not say.
  public var device: UUID?
  /// When, by the clock of the device, which may be wrong.
  ///
  /// The same time again is the same act.
  public var time: Date?

  /// A choice from its parts.
  public init(notification: UUID, action: PushAction, text: String? = nil, device: UUID? = nil, time: Date? = nil) {
    (self.notification, self.action, self.text) = (notification, action, text)
    (self.device, self.time) = (device, time)
  }

  var interaction: Interaction {
    Interaction(notification: notification, device: device, event: .acted, action: action.rawValue, time: time)
  }
}

/// What came of it.
public struct ActionReceipt: Sendable, Encodable, Equatable {
  /// The notification, a UUID in lower case.
  public let notificationId: String
  /// The action's identifier.
  public let action: String
  /// When a snoozed notification is sent again.
  public internal(set) var sentAgainAt: Date?

  init(_ chosen: ChosenAction) {
    (notificationId, action) = (chosen.notification.uuidString.lowercased(), chosen.action.rawValue)
  }
}

/// Why a report is refused; nothing has changed then.
public enum ActionRefusal: Error, Sendable, Equatable {
  /// The person does not have this notification.
  case unknownNotification
  /// The device is none of theirs.
  case unknownDevice
  /// The notification offers other actions.
  case notOffered([PushAction])
  /// It is too late for it; the text is a sentence.
  case conflict(String)
}
