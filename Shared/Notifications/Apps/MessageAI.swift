import PushPayload

extension Kind {
  /// MessageAI's kind: what its own judgement found worth telling.
  public static let smartNotification = Kind(
    .messageAI, "smart_notification", importance: .normal, preference: .own,
    category: ActionCategory.smartNotification.rawValue, family: .messages, quietHours: .drop)
}

extension MessageAIPush.Priority {
  /// How much a message of this priority matters: a high one sounds and passes quiet hours, the others make no sound.
  var importance: Importance { self == .high ? .urgent : .passive }

  /// Whether there is anything to see but the badge.
  var isShown: Bool { self != .low }
}
