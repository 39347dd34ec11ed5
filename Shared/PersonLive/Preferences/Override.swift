import Notifications

/// A switch that a person has for one project or group; where it is not set, the personal one decides.
public struct Override: Sendable, Hashable {
  /// Its name in the API.
  public let name: String
  let column: String

  /// FeedbackKit's, for pushes.
  public static let push = [
    Override(name: "newFeedback", column: "push_notify_new_feedback"),
    Override(name: "newComments", column: "push_notify_new_comments"),
    Override(name: "votes", column: "push_notify_votes"),
    Override(name: "statusChanges", column: "push_notify_status_changes"),
  ]
  /// FeedbackKit's, for e-mail, which its server sends.
  public static let email = [
    Override(name: "newFeedback", column: "email_notify_new_feedback"),
    Override(name: "newComments", column: "email_notify_new_comments"),
  ]
  /// LockItIn's.
  public static let group = PersonalSwitch.all(of: .lockItIn).filter { columnsOfGroups.contains($0.key) }
    .map { Override(name: $0.name, column: $0.key) }

  private static let columnsOfGroups: Set = [
    "proposal_notifications", "voting_deadline", "vote_updates", "vote_cast", "confirmations", "event_reminders",
    "day_before_reminders",
  ]
}

/// The overrides that change; one that becomes `nil` leaves the decision to the personal switch again.
public typealias OverrideChanges = [Override: Bool?]

extension [Assignment] {
  mutating func set(_ overrides: OverrideChanges) {
    set(Dictionary(uniqueKeysWithValues: overrides.map { ($0.key.column, $0.value) }))
  }
}
