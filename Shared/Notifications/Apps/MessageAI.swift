extension Kind {
  /// MessageAI's kind: what its own judgement found worth telling.
  public static let smartNotification = Kind(
    .messageAI, "smart_notification", importance: .normal, preference: .own, family: .messages, quietHours: .drop)
}
