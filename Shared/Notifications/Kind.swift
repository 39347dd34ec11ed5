/// One type of notification of one app: everything about it that does not depend on the event.
public struct Kind: Sendable, Equatable {
  /// The app it belongs to.
  public let app: App
  /// Its name, as it stands in `notifications.type` and in the payload's `type`.
  public let name: String
  /// How much it matters.
  public let importance: Importance
  /// The switch that turns it on and off.
  public let preference: PreferenceSwitch
  /// Whether it is on for a person who never touched the switch.
  public let isOnByDefault: Bool
  /// The actions that the app offers with it; `nil` for none.
  public let category: String?
  /// What it is merged with when several come within minutes; `nil` for kinds that never merge.
  public let family: BatchingFamily?
  /// What becomes of it in quiet hours.
  public let quietHours: QuietHoursRule
  /// Whether an unread one counts for the badge, where the app's badge counts notifications.
  public let countsForBadge: Bool

  init(
    _ app: App, _ name: String, importance: Importance, preference: PreferenceSwitch, isOnByDefault: Bool = true,
    category: String? = nil, family: BatchingFamily? = nil, quietHours: QuietHoursRule = .delay,
    countsForBadge: Bool = true
  ) {
    (self.app, self.name, self.importance) = (app, name, importance)
    (self.preference, self.isOnByDefault, self.category) = (preference, isOnByDefault, category)
    (self.family, self.quietHours, self.countsForBadge) = (family, quietHours, countsForBadge)
  }

  /// The switches that a person has, personally and for each project or group; the raw values are their columns.
  public enum PreferenceSwitch: String, Sendable, CaseIterable {
    case newFeedback = "push_notify_new_feedback"
    case newComments = "push_notify_new_comments"
    case votes = "push_notify_votes"
    case statusChanges = "push_notify_status_changes"
    case votingDeadline = "voting_deadline"
    /// The kind's own, under its name in `notification_settings.switches`.
    case own = "switches"
  }

  /// What is merged with what; always about one subject.
  public enum BatchingFamily: Sendable {
    case newFeedback, comments, votes, proposalVotes, likes, visitComments, messages
  }

  /// What becomes of a notification that falls into the person's quiet hours.
  public enum QuietHoursRule: Sendable {
    /// It waits for their end.
    case delay
    /// It goes out all the same.
    case pass
    /// It is only in the inbox.
    case drop
  }
}
