/// What was decided about a candidate.
public enum Decision: Sendable, Equatable {
  /// They are told.
  case notify
  /// They are not, and why.
  case suppress(Suppression)
}

/// Why somebody is not told; the raw value stands in results and in `decisions.reason`.
public enum Suppression: String, Sendable, CaseIterable {
  case actor
  case disabled
  case projectMuted = "project_muted"
  case typeDisabled = "type_disabled"
  case alreadyHandled = "already_handled"
  case subjectGone = "subject_gone"
  case notPermitted = "not_permitted"
  case duplicate
  case noDevice = "no_device"
}

/// What a decision leaves in the inbox.
public enum InboxEntry: Sendable, Equatable {
  /// Nothing.
  case none
  /// An unread entry.
  case unread
  /// An unread entry that the badge does not count.
  case uncounted
}

extension Decision {
  /// What is left in the inbox.
  public var inboxEntry: InboxEntry {
    switch self {
    case .notify, .suppress(.noDevice): .unread
    case .suppress(.disabled), .suppress(.projectMuted), .suppress(.typeDisabled): .uncounted
    case .suppress(.actor), .suppress(.alreadyHandled), .suppress(.subjectGone), .suppress(.notPermitted),
      .suppress(.duplicate):
      .none
    }
  }
}
