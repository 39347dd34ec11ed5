/// A set of buttons under a push.
///
/// The raw value is the `identifier` of its `UNNotificationCategory`, and `category` in payloads.
///
/// Apps register their categories at each start, with `customDismissAction` to report a dismissal:
///
/// ```swift
/// let categories = ActionCategory.lockItIn.map { category in
///   UNNotificationCategory(
///     identifier: category.rawValue, actions: category.actions.map(notificationAction), intentIdentifiers: [],
///     options: .customDismissAction)
/// }
/// UNUserNotificationCenter.current().setNotificationCategories(Set(categories))
/// ```
///
/// `notificationAction` makes a `UNNotificationAction` of a ``PushAction``, with `title(in: Locale.preferredLanguages[0])`.
public enum ActionCategory: String, Sendable, CaseIterable {
  /// LockItIn: a proposal asks for a vote.
  case proposal = "PROPOSAL_NOTIFICATION"
  /// LockItIn: an event begins soon.
  case eventReminder = "EVENT_REMINDER"
  /// LockItIn: it is time to leave for an event.
  case timeToLeave = "TIME_TO_LEAVE"
  /// LockItIn: a proposal is at a time when the person has another event.
  case conflictAlert = "CONFLICT_ALERT"
  /// LockItIn: a proposal is at a time when a member has another event.
  case conflictOrganizer = "CONFLICT_ORGANIZER"
  /// LockItIn: somebody wants to become friends.
  case friendRequest = "FRIEND_REQUEST"
  /// LockItIn: the person was added to a group.
  case groupInvite = "GROUP_INVITE"
  /// LockItIn: an event is over and asks for photos.
  case memoryPrompt = "MEMORY_PROMPT"
  /// MessageAI: a message that the person should see.
  case smartNotification = "SMART_NOTIFICATION_CATEGORY"

  /// LockItIn's categories.
  public static let lockItIn: [ActionCategory] = [
    .proposal, .eventReminder, .timeToLeave, .conflictAlert, .conflictOrganizer, .friendRequest, .groupInvite,
    .memoryPrompt,
  ]
  /// MessageAI's categories.
  public static let messageAI: [ActionCategory] = [.smartNotification]

  /// The buttons, in their order.
  public var actions: [PushAction] {
    switch self {
    case .proposal: [.voteYes, .voteMaybe, .voteNo, .muteGroup]
    case .eventReminder: [.openEvent]
    case .timeToLeave: [.getDirections, .snooze]
    case .conflictAlert: [.viewConflict]
    case .conflictOrganizer: [.messageFriend]
    case .friendRequest: [.acceptFriend, .viewProfile, .declineFriend]
    case .groupInvite: [.viewGroup, .acceptGroup, .declineGroup]
    case .memoryPrompt: [.addPhoto, .maybeLater]
    case .smartNotification: [.reply, .markRead, .helpful, .notHelpful]
    }
  }
}
