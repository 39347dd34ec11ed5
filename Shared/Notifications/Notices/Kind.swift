/// One type of notification of one app: everything about it that does not depend on the event.
public struct Kind: Sendable, Equatable {
  /// The app it belongs to.
  public let app: App
  /// Its name, as it stands in `notifications.type` and in the payload's `type`.
  public let name: String
  /// How much it matters.
  public private(set) var importance: Importance
  /// The switch that turns it on and off.
  public let preference: PreferenceSwitch
  /// Whether it is on for a person who never touched the switch.
  public let isOnByDefault: Bool
  /// Whether its switch and a muted project or group stop it.
  public let canBeSilenced: Bool
  /// The actions that the app offers with it; `nil` for none.
  public let category: String?
  /// What it is merged with when several come within minutes; `nil` for kinds that never merge.
  public let family: BatchingFamily?
  /// What becomes of it in quiet hours.
  public let quietHours: QuietHoursRule
  /// Whether an unread one counts for the badge, where the app's badge counts notifications.
  public let countsForBadge: Bool
  /// The sound of its pushes for a person who chose none.
  public let sound: String
  /// Whether it is a critical alert, even on a muted phone, for people who want critical alerts.
  public let isCritical: Bool

  init(
    _ app: App, _ name: String, importance: Importance, preference: PreferenceSwitch, isOnByDefault: Bool = true,
    canBeSilenced: Bool = true,
    category: String? = nil, family: BatchingFamily? = nil, quietHours: QuietHoursRule = .delay,
    countsForBadge: Bool = true, sound: String = "default", isCritical: Bool = false
  ) {
    (self.app, self.name, self.importance) = (app, name, importance)
    (self.preference, self.isOnByDefault, self.category) = (preference, isOnByDefault, category)
    (self.canBeSilenced, self.isCritical) = (canBeSilenced, isCritical)
    (self.family, self.quietHours, self.countsForBadge) = (family, quietHours, countsForBadge)
    self.sound = sound
  }

  /// The sound of its pushes.
  /// - Parameter choice: what the person chose; `nil` and the system's `default` are no choice.
  public func sound(unless choice: String?) -> String {
    guard let choice, choice != "default" else { return sound }
    return choice
  }

  /// The kind where the event says how much it matters.
  public func weighing(_ importance: Importance) -> Kind {
    var kind = self
    kind.importance = importance
    return kind
  }

  /// The switches that a person has, personally and for each project or group; the raw values are their columns.
  public enum PreferenceSwitch: String, Sendable, CaseIterable {
    case newFeedback = "push_notify_new_feedback"
    case newComments = "push_notify_new_comments"
    case votes = "push_notify_votes"
    case statusChanges = "push_notify_status_changes"
    case votingDeadline = "voting_deadline"
    case proposals = "proposal_notifications"
    case friendRequests = "friend_requests"
    case groupUpdates = "group_updates"
    case conflictAlerts = "conflict_alerts"
    case eventReminders = "event_reminders"
    case dayBeforeReminders = "day_before_reminders"
    case memoryPrompts = "memory_prompts"
    case proposalVotes = "vote_cast"
    case voteUpdates = "vote_updates"
    case confirmations
    /// The kind's own, under its name in `notification_settings.switches`.
    case own = "switches"

    /// The switch that decides where this one was never touched.
    public var shared: PreferenceSwitch? { self == .votingDeadline || self == .confirmations ? .proposals : nil }
    /// The same for the switches of a group, where confirmations are the person's own matter.
    public var sharedInGroups: PreferenceSwitch? { self == .votingDeadline ? .proposals : nil }
  }

  /// Notifications that are merged with each other; always about one subject.
  ///
  /// The raw values stand in `notifications.family`.
  public enum BatchingFamily: String, Sendable, CaseIterable {
    case newFeedback = "new_feedback"
    case comments, votes, likes, messages
    case proposalVotes = "proposal_votes"
    case visitComments = "visit_comments"
    /// A feedback's status: the last of several changes counts.
    case statuses
    /// The option that leads a proposal's votes: the current one counts.
    case leads
    /// Conflicts with a proposal, for the person who made it.
    case conflicts

    /// Whether the same words say nothing new; in a comment or a message they stand for another one.
    public var repeatsNothing: Bool { self == .votes || self == .proposalVotes }
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
