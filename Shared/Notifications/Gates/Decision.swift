public import FoundationEssentials

/// What was decided about a candidate.
public enum Decision: Sendable, Equatable {
  /// They are told.
  case notify
  /// They are told later, if it is still to be said then.
  case hold(Hold)
  /// They are not, and why.
  case suppress(Suppression)
}

/// What a notification waits for.
public struct Hold: Sendable, Equatable {
  /// Why it waits.
  public let reason: Reason
  /// When the gates are asked again.
  public let until: Date

  /// A wait for a reason until an instant.
  public init(_ reason: Reason, until: Date) { (self.reason, self.until) = (reason, until) }

  /// The raw value stands in results, in `decisions.reason` and in `held_notifications.reason`.
  public enum Reason: String, Sendable, CaseIterable {
    /// A notification of its family about its subject went out minutes ago: this one is merged into the next.
    case batched
    /// The person's quiet hours.
    case quietHours = "quiet_hours"
    /// The person has reached their limit of pushes within an hour.
    case rateLimited = "rate_limited"
    /// The person has seen it and wants it again in some minutes; no gate says so.
    case snoozed
  }
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
  case viewing
  case noDevice = "no_device"
  /// It would be pointless at the end of the person's quiet hours, or its kind does not wait for it.
  case quietHours = "quiet_hours"
  /// It waited for hours for a place among the person's pushes.
  case rateLimited = "rate_limited"
  /// It was pointless when it came due.
  case expired
  /// What has to be in the push is larger than a push may be.
  case unencodable
}

/// What a decision leaves in the inbox.
public enum InboxEntry: Sendable, Equatable {
  /// Nothing.
  case none
  /// An unread entry.
  case unread
  /// An entry that the person has seen.
  case read
  /// An unread entry that the badge does not count.
  case uncounted
}

extension Decision {
  /// What is left in the inbox.
  public var inboxEntry: InboxEntry {
    switch self {
    case .notify, .hold, .suppress(.noDevice), .suppress(.quietHours), .suppress(.rateLimited),
      .suppress(.expired), .suppress(.unencodable):
      .unread
    case .suppress(.viewing): .read
    case .suppress(.disabled), .suppress(.projectMuted), .suppress(.typeDisabled): .uncounted
    case .suppress(.actor), .suppress(.alreadyHandled), .suppress(.subjectGone), .suppress(.notPermitted),
      .suppress(.duplicate):
      .none
    }
  }
}
