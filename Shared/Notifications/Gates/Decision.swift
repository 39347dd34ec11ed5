package import FoundationEssentials

/// The decision on a candidate.
package enum Decision: Sendable, Equatable {
  /// They are notified now.
  case notify
  /// They are notified later, if it is still true then.
  case hold(Hold)
  /// They are not notified.
  case suppress(Suppression)
}

/// The reason and the end of a wait.
package struct Hold: Sendable, Equatable {
  /// Why it waits.
  package let reason: Reason
  /// When the gates are asked again.
  package let until: Date

  package init(_ reason: Reason, until: Date) { (self.reason, self.until) = (reason, until) }

  /// The raw value appears in results, in `decisions.reason` and in `held_notifications.reason`.
  package enum Reason: String, Sendable, CaseIterable {
    /// A notification of its family and subject went out minutes ago: this one joins the next batch.
    case batched
    /// The person's quiet hours.
    case quietHours = "quiet_hours"
    /// The person wants to hear nothing for a while.
    case muted
    /// The person has reached their limit of pushes within an hour.
    case rateLimited = "rate_limited"
    /// The person snoozed it; no gate decides this.
    case snoozed
  }
}

/// Why a person is not notified; the raw value appears in results and in `decisions.reason`.
package enum Suppression: String, Sendable, CaseIterable {
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
  /// It would be pointless at the end of the quiet hours or the mute, or its kind does not wait for their end.
  case quietHours = "quiet_hours"
  /// It waited too long for room under the hourly limit.
  case rateLimited = "rate_limited"
  /// It was pointless when it came due.
  case expired
  /// The push is too large even with the shortest texts.
  case unencodable

  /// Whether the time alone has decided, so that at another time the gates may decide otherwise.
  package var isByTime: Bool { [.quietHours, .rateLimited, .expired].contains(self) }
}

/// The inbox entry that a decision leaves.
package enum InboxEntry: Sendable, Equatable {
  case none
  /// An unread entry.
  case unread
  /// An entry that the person has seen.
  case read
  /// An unread entry that the badge does not count.
  case uncounted
}

extension Decision {
  package var inboxEntry: InboxEntry {
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
