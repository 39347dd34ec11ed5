import PushPayload

extension AppProfile {
  static let messageAI = AppProfile(
    title: "MessageAI", kinds: [.smartNotification], preferences: PreferenceTable(limitsAnalyses: true),
    badge: .unreadParts, subjectNames: ["conversationId", "conversation_id", "subject_id"], idKey: .camelCase,
    isWokenByAlerts: true, link: { ReceivedPush<MessageAIPush>($0).link }, topic: "com.example.messageai")
}

extension Kind {
  /// MessageAI's only kind: a message that its analysis or its own row reports.
  package static let smartNotification = Kind(
    .messageAI, "smart_notification", importance: .normal, category: .smartNotification, family: .messages,
    quietHours: .drop)
}

extension MessageAIPush.Priority {
  /// The importance of a message: `high` makes a sound and passes quiet hours, the others are silent.
  var importance: Importance { self == .high ? .urgent : .passive }

  /// Whether the push shows more than the badge.
  var isShown: Bool { self != .low }
}
